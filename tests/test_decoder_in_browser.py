"""The config decoder: the browser reads every config as Python does, and keeps it to itself."""

import gzip
import json
import math
import random
import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from posenc_ref import ConfigError, config_frequencies, explain, read_config
from tests.conftest import DOCS, ROOT
from tests.test_config_fuzz import ROUNDS, changed
from tests.whole_page import RULES, SIDEWAYS, WATCH

PAGE = "tools/decoder/"
REAL = json.loads((ROOT / "tests/configs.json").read_text("utf-8"))["configs"]
TEXTS = {name: json.dumps(entry["config"]) for name, entry in REAL.items()}
LLAMA = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4}
MARKUP = "<img src=x onerror=document.title='run'>"

READ = """async ([texts, tokens]) => {
  const [reader, words, file] = await Promise.all([
    import("/assets/js/config-reader.js"),
    import("/assets/js/config-words.js"),
    fetch("/assets/data/model-types.json").then((response) => response.text()),
  ]);
  const table = reader.parse(file);
  return texts.map((text) => {
    let model;
    try {
      model = reader.readConfig(text, table);
    } catch (error) {
      if (!(error instanceof reader.ConfigError)) throw error;
      return { refused: error.message };
    }
    const said = model.parts.flatMap((part) => [
      words.headingOf(part), ...words.rowsOf(part, model).flat(),
    ]);
    const ladders = model.parts.flatMap((part) => part.ropes.map((rope) => rope.ladder));
    return {
      form: reader.toDict(model),
      said: [words.titleOf(model), ...said].join(" "),
      longer: ladders.map((ladder) => reader.frequenciesAt(ladder, tokens)),
    };
  });
}"""


def differences(ours, theirs, where="", tolerance=1e-12):
    """Where two objects differ, a float by more than the tolerance."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        lone = [f"{where}.{key}: only one has it" for key in sorted(ours.keys() ^ theirs.keys())]
        both = ours.keys() & theirs.keys()
        return lone + [d for k in both for d in differences(ours[k], theirs[k], f"{where}.{k}")]
    if isinstance(theirs, list) and isinstance(ours, list) and len(ours) == len(theirs):
        pairs = enumerate(zip(ours, theirs, strict=True))
        return [d for i, (a, b) in pairs for d in differences(a, b, f"{where}[{i}]")]
    if isinstance(theirs, int) and abs(theirs) > 1e308:  # no double holds it
        theirs = str(theirs)
    numbers = all(isinstance(x, int | float) and not isinstance(x, bool) for x in (ours, theirs))
    if numbers and math.isclose(ours, theirs, rel_tol=tolerance):
        return []
    return [] if ours == theirs and not numbers else [f"{where}: {ours!r} is not {theirs!r}"]


@pytest.fixture(scope="module")
def read_by_browser(base, browser):
    """What the scripts of the page make of some texts, and of 40,000 tokens."""
    page = browser.new_page()
    page.goto(base + PAGE)
    yield lambda texts, tokens=40_000: page.evaluate(READ, [list(texts), tokens])
    page.close()


@pytest.fixture(scope="module")
def real(read_by_browser):
    return dict(zip(TEXTS, read_by_browser(TEXTS.values()), strict=True))


# ---- the rules


@pytest.mark.parametrize("name", TEXTS)
def test_a_real_config_gives_the_same_object_as_in_python(name, real):
    model = read_config(TEXTS[name])

    assert differences(real[name]["form"], model.to_dict()) == []


@pytest.mark.parametrize("name", TEXTS)
def test_a_real_config_gives_the_recorded_answers(name, real):
    """Keys of ours alone are not asked; recorded frequencies are float32."""
    assert wrong(real[name]["form"]["parts"], REAL[name]["answers"]) == []


def wrong(ours, answer, where=""):
    if isinstance(answer, dict):
        return [d for k, v in answer.items() for d in wrong(ours.get(k, "?"), v, f"{where}.{k}")]
    if isinstance(answer, list) and isinstance(ours, list) and len(ours) == len(answer):
        pairs = enumerate(zip(ours, answer, strict=True))
        return [d for i, (a, b) in pairs for d in wrong(a, b, f"{where}[{i}]")]
    if isinstance(answer, float) and isinstance(ours, int | float):
        near = math.isclose(ours, answer, rel_tol=1e-6, abs_tol=1e-30)
        return [] if near else [f"{where}: {ours!r} is not {answer!r}"]
    return [] if ours == answer else [f"{where}: {ours!r} is not {answer!r}"]


@pytest.mark.parametrize("name", TEXTS)
def test_a_real_config_is_explained_in_the_same_words(name, real):
    said = explain(read_config(TEXTS[name])).partition("What to know")[0]

    assert re.sub(r"\s", "", real[name]["said"]) == re.sub(r"\s", "", said)


@pytest.mark.parametrize("name", TEXTS)
def test_a_longer_text_turns_by_the_same_frequencies(name, real):
    model = read_config(TEXTS[name])
    ropes = [(part, rope) for part in model.parts for rope in part.ropes]

    for (part, rope), given in zip(ropes, real[name]["longer"], strict=True):
        layer = first_layer(part, rope)
        if layer is not None:
            ours = config_frequencies(model, part=part.name, layer=layer, seq_len=40_000)
            assert differences(given["invFreq"], ours.inv_freq.tolist()) == []
            assert math.isclose(given["attentionFactor"], ours.attention_factor, rel_tol=1e-12)


def first_layer(part, rope):
    """A layer that turns by this set of frequencies."""
    if part.layers is None:
        return 0
    kinds = part.layers.types or ["all"] * part.layers.n_layers
    turning = (i for i in part.layers.rotated if rope.applies_to in ("all", kinds[i]))
    return next(turning, None)


def with_rope(**block):
    return json.dumps(LLAMA | {"rope_scaling": block, "max_position_embeddings": 4096})


NEVER = [
    "[1, 2]",
    '{"model_type": "llama"',
    '{"model_type": "llama",}',
    '{"a": [1, 2,]}',
    '{"a" 1}',
    "{'a': 1}",
    '{"a": "tab\there"}',
    '{"a": "\\x"}',
    '{"a": "never closed}',
    '{"a": 01}',
    '{"a": 1} {"b": 2}',
    '{"a": tru}',
    "[" * 5000,
    '{"a": ' * 70 + "1" + "}" * 70,
    '{"model_type": 5}',
    json.dumps(LLAMA | {"rope_theta": 0}),
    json.dumps(LLAMA | {"rope_theta": math.nan}),
    json.dumps(LLAMA | {"rope_theta": -math.inf}),
    json.dumps(LLAMA | {"rope_theta": 10**400}),
    json.dumps(LLAMA | {"rope_theta": "10000"}),
    json.dumps(LLAMA | {"rope_theta": [1e4, None, True, "it's"]}),
    json.dumps(LLAMA | {"rope_theta": {"a": 1e-5, "b": 1e16, "c": -0.0}}),
    json.dumps(LLAMA | {"num_attention_heads": 0}),
    json.dumps(LLAMA | {"head_dim": 7}),
    json.dumps(LLAMA | {"head_dim": 64.5}),
    json.dumps(LLAMA | {"rope_scaling": "yarn"}),
    with_rope(rope_type="toString"),
    with_rope(rope_type="__proto__", factor=2),
    with_rope(rope_type="linear"),
    with_rope(rope_type="linear", factor="8.0"),
    with_rope(rope_type="linear", factor=math.nan),
    with_rope(rope_type="linear", factor=0.5),
    with_rope(rope_type="linear", factor=-2),
    with_rope(rope_type="longrope", short_factor=[1] * 7, long_factor=[1] * 8),
    with_rope(rope_type="longrope", short_factor=[1] * 8, long_factor=[1] * 7 + [0]),
    with_rope(rope_type="llama3", factor=8, low_freq_factor=4, high_freq_factor=1.0),
    with_rope(rope_type="llama3", factor=8, low_freq_factor=0, high_freq_factor=1),
    with_rope(rope_type="yarn", factor=4, beta_fast=1, beta_slow=32),
    with_rope(rope_type="yarn", factor=4, truncate=1),
    with_rope(rope_type="yarn", factor=4, original_max_position_embeddings=1),
    with_rope(rope_type="yarn", original_max_position_embeddings=8192),
    with_rope(rope_type="dynamic", factor=1e300),
]


def test_what_cannot_be_is_refused_with_the_words_of_python(read_by_browser):
    for text, given in zip(NEVER, read_by_browser(NEVER), strict=True):
        with pytest.raises(ConfigError) as caught:
            read_config(text)
        assert given.get("refused") == str(caught.value), text[:200]


def test_changed_configs_are_read_as_python_reads_them(read_by_browser):
    """Real configs with something altered, lost or put elsewhere: the same object or refusal."""
    chance = random.Random(5)
    names = sorted(REAL)
    texts = [
        json.dumps(changed(REAL[chance.choice(names)]["config"], chance)) for _ in range(ROUNDS)
    ]
    refused = 0

    for text, given in zip(texts, read_by_browser(texts), strict=True):
        form, refusal = answer_of(text)
        refused += refusal is not None
        assert given.get("refused") == refusal, text[:500]
        assert differences(given.get("form"), form) == [], text[:500]
    assert 0.1 < refused / ROUNDS < 0.9


def answer_of(text):
    """What Python reads, or why it does not."""
    try:
        return read_config(text).to_dict(), None
    except ConfigError as error:
        return None, str(error)


def test_what_is_no_object_is_refused(read_by_browser):
    """In Python such a text is a path."""
    texts = ["", "null", "5", '"llama"', "config.json", " " * 5_000_001]
    refused = [given.get("refused", "") for given in read_by_browser(texts)]

    assert refused[0].startswith("config must be JSON, got something else at line 1, column 1")
    assert refused[1] == "config must be an object with keys, got None (NoneType)"
    assert refused[3] == "config must be an object with keys, got 'llama' (str)"
    assert refused[5] == "config must be at most 5000000 characters, got 5000001"
    assert all(refused)


def test_odd_json_is_read_as_python_reads_it(read_by_browser):
    odd = [
        '{"model_type": "bert", "model_type": "gpt2"}',
        '{"model_type": "gpt2", "unrelated": [NaN, Infinity, -Infinity, 123456789012345678901]}',
        '{"model_type": "gpt2", "__proto__": {"model_type": "llama"}, "constructor": 5}',
        '{"model_type": "\\u0067pt2", "n_positions": 2.0, "n_embd": -0}',
        '{"model_type": "constructor", "head_dim": 8}',
        '{"head_dim": 8, "rope_parameters": {"__proto__": {"rope_theta": 5}, "b": null}}',
    ]

    for text, given in zip(odd, read_by_browser(odd), strict=True):
        assert differences(given["form"], read_config(text).to_dict()) == [], text
    [given] = read_by_browser(["\ufeff" + odd[0]])  # the mark that some editors put in front
    assert given["form"]["model_type"] == "gpt2"


def test_a_difference_is_seen():
    """The comparison itself: a value, a last digit, a key too many, a list too short."""
    form = read_config(TEXTS["gpt-oss-20b"]).to_dict()
    other = json.loads(json.dumps(form))
    rope = other["parts"][0]["ropes"][0]
    rope["inv_freq"][5] *= 1 + 1e-11
    rope["factor"] = True
    other["warnings"][0]["text"] += " "
    other["unknown_keys"].append("x")
    other["more"] = 1

    assert len(differences(form, other)) == 5


def test_the_browser_has_the_table_of_the_package(site):
    theirs = (ROOT / "posenc_ref/model_types.json").read_text("utf-8")
    ours = (site / "assets/data/model-types.json").read_text("utf-8")

    assert json.loads(ours) == json.loads(theirs)


# ---- the page


@pytest.fixture
def decoder(base, new_page):
    """The page, with a record of what it asked for and of what failed."""
    page = new_page()
    page.add_init_script(WATCH)
    page.asked, page.failed = [], []
    page.on("request", lambda request: page.asked.append(request))
    page.on("console", lambda m: page.failed.append(m.text) if m.type != "log" else None)
    page.on("pageerror", lambda error: page.failed.append(str(error)))
    page.goto(base + PAGE)
    page.wait_for_function("customElements.get('pe-decoder') !== undefined")
    yield page
    assert page.failed == []
    assert page.evaluate("refused") == []
    assert [r.url for r in page.asked if not r.url.startswith((base, "data:", "blob:"))] == []


def give(page, text):
    """Write it into the box and ask."""
    page.get_by_label("Paste a config.json").fill(text)
    page.get_by_role("button", name="Explain").click()


def said(page):
    return page.locator("pe-decoder [role=status]")


def test_before_any_script_python_has_explained_one_config(base, new_page):
    page = new_page(java_script_enabled=False)
    page.goto(base + PAGE)
    given = page.locator("pe-decoder noscript samp").text_content()
    shown = page.locator("pe-decoder .result samp")

    assert shown.text_content() == explain(read_config(given))
    assert shown.is_visible()
    assert page.get_by_text("posenc explain config.json").first.is_visible()
    assert not page.locator("pe-decoder form").is_visible()


def test_keys_alone_lead_from_a_config_to_its_explanation(decoder):
    decoder.get_by_label("Paste a config.json").focus()
    decoder.keyboard.press("Control+A")
    decoder.keyboard.insert_text(json.dumps(LLAMA | {"max_position_embeddings": 4096}))
    for _ in range(40):
        decoder.keyboard.press("Tab")
        if decoder.evaluate("document.activeElement.textContent") == "Explain":
            break
    decoder.keyboard.press("Enter")

    said(decoder).get_by_text("llama: 1 part, 2 things to know.").wait_for()
    assert decoder.evaluate("document.activeElement.textContent") == "Explain"
    assert decoder.get_by_role("img", name="come round at least once in 4096").is_visible()
    decoder.get_by_text("Every pair, as a table").click()
    assert decoder.locator("pe-decoder .numbers tr").nth(1).inner_text().split("\t")[:2] == [
        "0",
        "6.28",
    ]


def test_what_cannot_be_is_said_as_an_alert_and_leaves_nothing_old_behind(decoder):
    give(decoder, json.dumps(LLAMA | {"rope_theta": 0}))
    alert = decoder.get_by_role("alert")
    alert.get_by_text("rope_theta must be a finite number above 1").wait_for()

    assert "got 0 (int)" in alert.text_content()
    assert said(decoder).text_content() == ""
    assert decoder.locator("pe-decoder .result > *").count() == 0
    give(decoder, json.dumps(LLAMA))
    said(decoder).get_by_text("llama").wait_for()
    assert alert.text_content() == ""


def test_markup_in_a_config_stays_text(decoder):
    config = LLAMA | {
        "model_type": MARKUP,
        f"rope_{MARKUP}": MARKUP,
        "rope_parameters": {MARKUP: {"rope_theta": 5, f"x{MARKUP}": 1}},
        "layer_types": [MARKUP] * 2,
        "num_hidden_layers": 2,
    }
    give(decoder, json.dumps(config))
    said(decoder).get_by_text(MARKUP).wait_for()
    for summary in decoder.locator("pe-decoder details > summary").all():
        summary.click()
    decoder.wait_for_timeout(200)

    result = decoder.locator("pe-decoder .result")
    assert result.inner_text().count("<img") >= 4
    assert decoder.locator("pe-decoder img").count() == 0
    assert decoder.title() != "run"
    give(decoder, json.dumps(LLAMA | {"rope_theta": MARKUP}))
    decoder.get_by_role("alert").get_by_text("<img").wait_for()
    assert decoder.locator("pe-decoder img").count() == 0


def test_a_link_carries_the_config_where_no_server_sees_it(decoder, base, new_page):
    config = json.dumps(LLAMA | {"rope_theta": 123457.0, "note": "ü 漢"}, ensure_ascii=False)
    give(decoder, config)
    decoder.get_by_label("Tokens of the text").fill("5000")
    decoder.get_by_role("button", name="Make a link").click()
    box = decoder.get_by_label("A link that carries this config")
    box.wait_for()
    link = box.input_value()

    assert link.startswith(f"{base}{PAGE}#config=")
    assert decoder.url == base + PAGE  # the address of the page itself does not change
    other = new_page()
    asked = []
    other.on("request", lambda r: asked.append(r.url + json.dumps(r.headers)))
    other.goto(link)
    said(other).get_by_text("llama: ").wait_for()
    assert other.get_by_label("Paste a config.json").input_value() == config
    assert other.get_by_label("Tokens of the text").input_value() == "5000"
    assert "123457 (key rope_theta)" in other.locator("pe-decoder .result").inner_text()
    assert [line for line in asked if "config=" in line] == []
    assert len(decoder.asked) > 0
    assert [r.url for r in decoder.asked if r.method != "GET" or r.post_data] == []


def test_a_link_that_was_cut_and_one_that_would_be_too_long_are_refused(decoder):
    decoder.evaluate("location.hash = '#config=q1bKzU9JzVGyUsrJTE8syc'")
    decoder.get_by_role("alert").get_by_text("The config in this link cannot be read").wait_for()
    noise = [math.sin(i) for i in range(2000)]
    give(decoder, json.dumps(LLAMA | {"noise": noise}))
    said(decoder).get_by_text("llama").wait_for()
    decoder.get_by_role("button", name="Make a link").click()

    decoder.get_by_role("alert").get_by_text("more than 8000 characters").wait_for()
    assert not decoder.get_by_label("A link that carries this config").is_visible()


def test_a_file_can_be_chosen_or_dropped(decoder, tmp_path):
    file = tmp_path / "config.json"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(LLAMA | {"model_type": "gpt2"}).encode())
    decoder.get_by_label("Or choose a file").set_input_files(file)
    said(decoder).get_by_text("gpt2: ").wait_for()
    drop = """text => {
      const data = new DataTransfer();
      data.items.add(new File([text], "config.json"));
      const place = document.querySelector("pe-decoder textarea");
      place.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true}));
    }"""
    decoder.evaluate(drop, '{"model_type": "bert"}')
    said(decoder).get_by_text("bert: ").wait_for()
    file.write_bytes(b'{"a": "\xff"}')
    decoder.get_by_label("Or choose a file").set_input_files(file)
    decoder.get_by_role("alert").get_by_text("config must be UTF-8 text").wait_for()
    file.write_bytes(b" " * 5_000_001)
    decoder.get_by_label("Or choose a file").set_input_files(file)

    decoder.get_by_role("alert").get_by_text("at most 5000000 bytes, got 5000001").wait_for()


def test_pasting_is_asking(decoder):
    decoder.evaluate(
        """text => {
          const place = document.querySelector("pe-decoder textarea");
          place.value = text;
          place.dispatchEvent(new ClipboardEvent("paste", {bubbles: true}));
        }""",
        '{"model_type": "gpt2"}',
    )

    said(decoder).get_by_text("gpt2: ").wait_for()


def test_every_example_is_a_real_config_and_is_explained(decoder):
    buttons = decoder.locator("[data-example]")
    assert buttons.count() == 6
    for button in buttons.all():
        name = button.get_attribute("data-example")
        button.click()
        model = read_config(REAL[name]["config"])
        said(decoder).get_by_text(f"{model.model_type}: ").wait_for()

        given = decoder.get_by_label("Paste a config.json").input_value()
        assert json.loads(given) == REAL[name]["config"]
        n_ropes = sum(len(part.ropes) for part in model.parts)
        assert decoder.locator("pe-decoder .result figure").count() == n_ropes
        shown = decoder.locator("pe-decoder .found li").all_inner_texts()
        assert [" ".join(text.split()[2:]) for text in shown] == [w.text for w in model.warnings]


def test_a_layer_and_a_length_choose_what_is_drawn(decoder):
    give(decoder, TEXTS["gemma-3-1b-it"])
    drawn = decoder.locator("pe-decoder .result figcaption")
    said(decoder).get_by_text("gemma3_text").wait_for()
    assert drawn.count() == 2
    decoder.get_by_label("Layer, from 0").fill("5")
    decoder.keyboard.press("Enter")
    decoder.get_by_text("layer 5: 80 of 128 pairs").wait_for()
    assert drawn.count() == 1
    decoder.get_by_label("Layer, from 0").fill("26")
    decoder.keyboard.press("Enter")
    decoder.get_by_role("alert").get_by_text("layer must be below 26").wait_for()
    assert drawn.count() == 2

    decoder.get_by_label("Layer, from 0").fill("")
    give(decoder, with_rope(rope_type="dynamic", factor=2))
    decoder.get_by_label("Tokens of the text").fill("8192")
    decoder.keyboard.press("Enter")
    decoder.get_by_text("at 8192 tokens").wait_for()
    decoder.get_by_text("Every pair, as a table").click()
    last = decoder.locator("pe-decoder .numbers tr").nth(8).inner_text().split("\t")
    assert last[3] == "3"  # 1 + 2 * (8192 / 4096 - 1), on the slowest pair


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_explanation_shuts_nobody_out_and_fits_a_phone(scheme, base, new_page):
    page = new_page(color_scheme=scheme, viewport={"width": 360, "height": 800})
    page.goto(base + PAGE, wait_until="networkidle")
    give(page, TEXTS["gpt-oss-20b"])
    said(page).get_by_text("gpt_oss").wait_for()
    for summary in page.locator("pe-decoder details > summary").all():
        summary.click()
    page.wait_for_timeout(300)
    found = Axe().run(page, options={"runOnly": RULES, "resultTypes": ["violations"]})
    violations = found.response["violations"]

    assert [(v["id"], [n["target"] for n in v["nodes"]][:3]) for v in violations] == []
    assert page.evaluate(SIDEWAYS) <= 0


def test_scripts_and_page_keep_to_their_weight(base, new_page):
    names = ("config-reader.js", "config-words.js", "decoder.js")
    scripts = [(DOCS / "assets/js" / name).read_bytes() for name in names]
    page = new_page(reduced_motion="reduce")
    sizes = {}
    page.on("response", lambda r: sizes.update({r.url: int(r.headers.get("content-length", 0))}))
    page.goto(base, wait_until="networkidle")
    first = set(sizes)
    page.goto(base + PAGE, wait_until="networkidle")
    give(page, TEXTS["llama-3.1-8b"])
    said(page).get_by_text("llama").wait_for()
    page.wait_for_load_state("networkidle")
    new = {url: size for url, size in sizes.items() if url not in first and "search" not in url}

    assert len(gzip.compress(b"".join(scripts), 9)) <= 28 * 1024
    assert sum(new.values()) <= 70 * 1024, sorted(new.items(), key=lambda item: -item[1])
