"""Make `model_types.json` from a survey of the model types of transformers.

    python -m tests.tidy_survey SURVEY.json

`model_survey.py` makes the survey, by building every model from its default config. Kept are the
types that `posenc_ref/model_types.json` tells, and of each what bears on positions: the keys of
its default config, and what the built model holds.
"""

import json
import re
import sys
from pathlib import Path

from posenc_ref.model_table import table
from tests.tidy_configs import kept

OUT = Path(__file__).parent / "model_types.json"
ASIDE = re.compile("Vision|Audio|Indexer|SaProt|Cross|Resampler|Qformer")
STACK = re.compile(r"(^|\.)(layers|h|blocks|layer)\.\*")


def layers_of(text):
    """Layer numbers from "0-3,5"."""
    numbers = []
    for run in filter(None, text.split(",")):
        first, _, last = run.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def attention(seen):
    """The modules of attention that turn queries, else all of the text's."""
    found = [
        module
        for module in seen.get("layers", ())
        if "Attention" in module["class"]
        and not ASIDE.search(module["class"])
        and STACK.search(module["module"])
        and re.fullmatch(r"[\d,-]+", str(module["indices"]))
    ]
    turning = [module for module in found if module["class"] in seen.get("turns", {})]
    return turning or found


def windows(modules):
    """Layers by the size of their window, as the modules have it; None where none has the word."""
    if not any("sliding_window" in module for module in modules):
        return None
    found = {}
    for module in modules:
        size, sliding = module.get("sliding_window"), module.get("is_sliding")
        by_size = size if isinstance(size, dict) else {str(size): str(module["indices"])}
        full = layers_of(sliding.get("False", "")) if isinstance(sliding, dict) else ()
        for value, numbers in by_size.items():
            if value not in ("None", "False"):
                slides = [layer for layer in layers_of(numbers) if layer not in full]
                found.setdefault(str(int(float(value))), []).extend(slides)
    return {size: sorted(set(numbers)) for size, numbers in found.items()}


def layouts(seen):
    turns = seen.get("turns", {})
    own = [name for name in turns if not ASIDE.search(name)] or list(turns)
    return sorted({call["layout"] for name in own for call in turns[name] if call["layout"]})


def scales(modules):
    found = set()
    for module in modules:
        scale = module.get("scaling")
        found |= set(map(float, scale)) if isinstance(scale, dict) else set()
        found |= {scale} if isinstance(scale, float | int) else set()
    return sorted(found)


def tidy(record):
    """What a test asks of one type."""
    seen = record["seen"]
    modules = attention(seen)
    rotations = {
        (rotary["config"], rotary["n"], tuple(map(float, rotary["values"])), rotary["zeros"],
         float(rotary["attention_scaling"] or 1))
        for rotary in seen.get("rotary", ())
    }  # fmt: skip
    names = ("config", "n", "values", "zeros", "scaling")
    found = {
        "rotations": [dict(zip(names, item, strict=True)) for item in sorted(rotations, key=str)],
        "layouts": layouts(seen),
        "scales": scales(modules),
        "windows": windows(modules),
        "layers": sorted({i for module in modules for i in layers_of(str(module["indices"]))}),
        "tables": [item["shape"] for item in seen.get("tables", ())],
    }
    given = {"given": record["given"]} if record.get("given") else {}
    return {"class": record["class"], "config": kept(record["saved"]), **given, "seen": found}


def main():
    survey = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    models = survey["models"]
    told = table()["types"]
    lines = [
        f"{json.dumps(name)}: {json.dumps(tidy(record), ensure_ascii=False)}"
        for name, record in sorted(models.items())
        if name in told and "class" in told[name] and "error" not in record["seen"]
    ]
    built = sum("error" not in record["seen"] for record in models.values())
    head = {
        "about": "What the models of transformers hold when they are built from their default "
        "configs. Made by tests/tidy_survey.py.",
        "transformers": table()["transformers"],
        "surveyed": len(models),
        "built": built,
    }
    text = json.dumps(head, indent=1)[:-2] + ',\n "types": {\n' + ",\n".join(lines) + "\n}}\n"
    json.loads(text)
    OUT.write_text(text, encoding="utf-8")
    print(f"{OUT.name}: {len(lines)} of {len(models)} types, {len(text) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
