"""The page that reads configs: its data, its markup in the first state, its style sheet.

The rules are the package's: the browser reads the table that the package reads, and what stands on
the page before any script runs is what `explain` says of one real config.
"""

import html
import json
import re
from pathlib import Path
from typing import Any

from _hooks.figures import to_json
from posenc_ref import explain, read_config

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "posenc_ref" / "model_types.json"
CONFIGS = ROOT / "tests" / "configs.json"
MARK = re.compile(r"<div data-decoder>\s*</div>")
# Real files that show different things; the first is worked out on the page.
EXAMPLES = {
    "llama-3.1-8b": "slow pairs only",
    "gemma-3-1b-it": "two bases",
    "gpt-oss-20b": "YaRN, windows",
    "phi-3-mini-128k-instruct": "two lists",
    "deepseek-r1": "a rotary part apart",
    "t5-small": "a bias, no rotation",
}


def examples() -> dict[str, dict[str, Any]]:
    """Of each example, the model's name and the keys that bear on positions."""
    real = json.loads(CONFIGS.read_text("utf-8"))["configs"]
    return {
        name: {"model": real[name]["model"], "config": real[name]["config"]} for name in EXAMPLES
    }


def published() -> dict[str, bytes]:
    """The two files that the page asks for, by path."""
    return {
        "assets/data/model-types.json": to_json(json.loads(TABLE.read_text("utf-8"))),
        "assets/data/decoder-examples.json": to_json(
            {name: text_of(entry["config"]) for name, entry in examples().items()}
        ),
    }


def text_of(config: dict[str, Any]) -> str:
    """A config as a file would have it; a list of numbers takes one line."""
    text = json.dumps(config, indent=2, ensure_ascii=False)
    return re.sub(r"\[[^\[\]{}]*\]", lambda found: re.sub(r"\s*\n\s*", " ", found[0]), text)


def insert(content: str, base: str) -> str:
    """Write the decoder where a page asks for it.

    Args:
        content: HTML of the page.
        base: Address of the site's root as seen from the page.
    """
    return MARK.sub(lambda _: widget(f"{base}assets/data/"), content)


def widget(src: str) -> str:
    """The whole decoder, showing one real config as Python explains it.

    The two texts are `samp`, not `pre`: they are no code blocks of an author, which run.
    """
    first = next(iter(examples().values()))
    model, config = html.escape(first["model"]), html.escape(text_of(first["config"]))
    said = html.escape(explain(read_config(first["config"])))
    return f"""<pe-decoder class="explorer decoder" data-src="{src}">
<form autocomplete="off">
<div class="head">
<label for="decoder-config">Paste a config.json, or drop the file here</label>
</div>
<div class="controls source">
<textarea id="decoder-config" name="config" rows="11" wrap="off" spellcheck="false"
 autocapitalize="off" aria-describedby="decoder-stays">{config}</textarea>
<p id="decoder-stays">It is read in this page. Nothing is sent, and nothing is kept.</p>
<label class="file">Or choose a file
<input type="file" name="file" accept=".json,application/json"></label>
<ul class="examples" aria-label="Real files to try">{buttons()}</ul>
</div>
<div class="controls choices">
<label>Layer, from 0 <input type="number" name="layer" min="0" placeholder="all"></label>
<label>Tokens of the text
<input type="number" name="tokens" min="0" placeholder="trained"></label>
<div class="bar">
<button>Explain</button><button type="button" data-link>Make a link</button>
</div>
</div>
<p class="says" role="status">Shown below: {model}.</p>
<p class="alert" role="alert"></p>
<label class="link" hidden>A link that carries this config <input name="link" readonly></label>
</form>
<noscript>
<p>Without JavaScript, this page shows one config, {model}, as the command
<code>posenc explain config.json</code> explains it:</p>
<samp tabindex="0" role="group" aria-label="Config">{config}</samp>
</noscript>
<div class="result">
<samp tabindex="0" role="group" aria-label="Explanation">{said}</samp>
</div>
</pe-decoder>"""


def buttons() -> str:
    """One for each example: the model's name, and what its config shows."""
    return "".join(
        f'<li><button type="button" data-example="{name}">'
        f"<b>{html.escape(entry['model'].split('/')[-1])}</b> {EXAMPLES[name]}</button></li>"
        for name, entry in examples().items()
    )


def head(page: str, base: str) -> str:
    """What a page that holds the decoder needs in its head, and no other page."""
    if "<pe-decoder" not in page:
        return ""
    return f'<link rel="stylesheet" href="{base}assets/css/decoder.css">'
