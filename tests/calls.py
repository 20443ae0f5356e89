"""Calls of our functions that stand in recorded cases, as `call` and `each` (see tests/record)."""

import numpy as np

import posenc_ref
from posenc_ref.kinds import Frequencies


def called(case, **changed):
    """What our function gives for the arguments of a case, in the form of its outputs."""
    call = {**case.inputs["call"], **changed}
    [(name, values)] = case.inputs.get("each", {None: [None]}).items()
    if name is None:
        return _frequencies(call)
    results = [_frequencies({**call, name: value}) for value in values]
    [factor] = {result.attention_factor for result in results}
    return Frequencies(np.stack([result.inv_freq for result in results]), factor)


def _frequencies(call):
    arguments = dict(call)
    function = getattr(posenc_ref, arguments.pop("function"))
    if "inv_freq_of" in arguments:
        arguments["inv_freq"] = posenc_ref.rotary_inv_freq(*arguments.pop("inv_freq_of"))
    result = function(**arguments)
    return result if isinstance(result, Frequencies) else Frequencies(result, 1.0)


def holding(cases, key):
    """Those that recorded an output of that name."""
    return [case for case in cases if key in case.outputs]
