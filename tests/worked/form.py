"""The form of a published set of vectors, and of the file that holds it."""

import json

LICENCE = "CC0-1.0"

# Why a difference is still agreement, in the words that the files carry.
ANGLES = "float32 results, and float32 angles of short texts; a wrong convention misses by more"
ROUNDED = "numbers rounded to float32, as released classes do; a wrong convention misses by more"
WHOLE = "whole numbers"
TOLERANCE = {
    "angles": {"rtol": 0.0, "atol": 1e-5, "reason": ANGLES},
    "rounded": {"rtol": 2e-6, "atol": 0.0, "reason": ROUNDED},
    "whole": {"rtol": 0.0, "atol": 0.0, "reason": WHOLE},
}


def vector_set(name, what, convention, source, signature, returns, tolerance, cases):
    """One set; `signature` has name → (meaning, shape), and `cases` have name → (inputs, expected).

    The inputs of a case stand in the order of the signature.
    """
    return {
        "name": name,
        "version": 1,
        "licence": LICENCE,
        "what": what,
        "convention": convention,
        "source": source,
        "signature": [
            {"name": argument, "meaning": meaning, "shape": shape}
            for argument, (meaning, shape) in signature.items()
        ],
        "returns": returns,
        "tolerance": TOLERANCE[tolerance],
        "cases": [
            {
                "name": case,
                "inputs": dict(zip(signature, inputs, strict=True)),
                "expected": expected,
            }
            for case, (inputs, expected) in cases.items()
        ],
    }


def worked(rule, inputs):
    """name → inputs becomes name → (inputs, what the rule gives for them)."""
    return {name: (values, rule(*values)) for name, values in inputs.items()}


def dumped(vectors):
    """JSON with a line for each entry of the head, and a line for each case."""
    head = {key: value for key, value in vectors.items() if key != "cases"}
    lines = [f"{_text(key)}: {_text(value)}," for key, value in head.items()]
    cases = ",\n".join(map(_text, vectors["cases"]))
    return "\n".join(["{", *lines, '"cases": [', cases, "]", "}"]) + "\n"


def joined(sets):
    """One file of several sets, by name."""
    named = [f"{_text(vectors['name'])}: {dumped(vectors).rstrip()}" for vectors in sets]
    return "{\n" + ",\n".join(named) + "\n}\n"


def _text(value):
    return json.dumps(value, ensure_ascii=False)
