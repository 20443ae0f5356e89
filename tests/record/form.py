"""The form of a recorded case, and of the file it stands in."""

import json

import numpy as np


def case(name, source, functions, *, inputs, outputs, note=""):
    """One comparison: what went into released code, and what came out.

    `name` is unique in its file. `source` is the full name of the class or function that ran,
    `functions` are those of posenc_ref that are compared with it. `inputs` and `outputs` hold
    numbers, words, lists, NumPy arrays and tensors.
    """
    return {
        "name": name,
        "source": source,
        "functions": list(functions),
        "note": note,
        "inputs": plain(inputs),
        "outputs": plain(outputs),
    }


def plain(value):
    """Numbers and lists that read back as the same floats: the shortest digits of each dtype."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "detach"):  # a tensor
        value = value.detach().cpu()
        value = (
            value.float() if value.dtype.itemsize == 2 and value.is_floating_point() else value
        ).numpy()
    if isinstance(value, np.ndarray | np.generic):
        if value.dtype == np.float32:
            return _float32(value.tolist())
        return value.tolist()
    return value


def _float32(value):
    if isinstance(value, list):
        return [_float32(item) for item in value]
    return float(str(np.float32(value)))


def dumped(record):
    """JSON with one line for each input and output, so that a diff reads well."""
    head = {key: value for key, value in record.items() if key != "cases"}
    lines = ["{"]
    lines += [f"{json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    lines.append('"cases": [')
    lines.append(",\n".join(_dumped_case(item) for item in record["cases"]))
    lines += ["]", "}"]
    return "\n".join(lines) + "\n"


def _dumped_case(item):
    parts = []
    for key, value in item.items():
        if isinstance(value, dict):
            inner = ",\n".join(f"   {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
            parts.append(f" {json.dumps(key)}: {{\n{inner}}}")
        else:
            parts.append(f" {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "}"


loaded = json.loads
