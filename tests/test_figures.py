"""What is drawn: every module of `docs/_figures`, and the numbers in it that a hand can check."""

import base64
import gzip
import importlib
import io
import itertools
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from PIL import Image

from _hooks.draw import Frame, cell, number
from _hooks.style import SCHEMES, SIZE, rc, render, speeds

DOCS = Path(__file__).parents[1] / "docs"
LARGEST_JSON = 12 * 1024  # bytes behind gzip
MODULES = {
    path.stem: importlib.import_module(f"_figures.{path.stem}")
    for path in sorted((DOCS / "_figures").glob("[!_]*.py"))
}


def having(name):
    return [
        pytest.param(module, id=key) for key, module in MODULES.items() if hasattr(module, name)
    ]


every_module = pytest.mark.parametrize("module", having("data"))
every_figure = pytest.mark.parametrize("module", having("draw"))
every_scene = pytest.mark.parametrize("module", having("frames"))
every_widget = pytest.mark.parametrize("module", having("widget"))


# ---- all modules ----


def test_each_module_is_one_kind_of_thing():
    kinds = ("draw", "frames", "widget", "MARKS")

    for name, module in MODULES.items():
        assert hasattr(module, "data"), name
        assert sum(hasattr(module, kind) for kind in kinds) == 1, name
    assert len(MODULES) >= 11


@every_module
def test_data_is_json_and_the_same_each_time(module):
    once, again = (json.dumps(module.data(), allow_nan=False) for _ in range(2))

    assert once == again


@every_module
def test_data_is_all_that_a_module_draws(module):
    """A copy that went through JSON gives the same drawing as the data themselves."""
    data = module.data()
    copy = json.loads(json.dumps(data))

    if hasattr(module, "frames"):
        assert drawings(module, data) == drawings(module, copy)
    if hasattr(module, "widget"):
        assert module.widget(data, "x") == module.widget(copy, "x")


def drawings(scene, data):
    return [frame.svg() for frame in scene.frames(data)]


# ---- figures ----


@every_figure
def test_a_figure_is_the_same_to_the_byte_each_time(module):
    first, second = (drawn(module, "light") for _ in range(2))

    assert first == second


@every_figure
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_figure_uses_the_colours_of_its_scheme_alone(module, scheme):
    svg = drawn(module, scheme).decode()

    assert re.search(r"#[0-9a-f]{6}\b", svg)
    for color in set(re.findall(r"#[0-9a-f]{6}\b", svg)) | colors_of_images(svg):
        assert off_palette(color, SCHEMES[scheme]) < 1.5 / 255, color


@every_figure
def test_a_title_is_short_and_at_the_left(module):
    figure = Figure()
    with matplotlib.rc_context(rc(SCHEMES["light"])):
        module.draw(figure, module.data(), SCHEMES["light"])
    titles = [ax.get_title(loc="left") for ax in figure.axes] + [figure.get_suptitle()]

    (title,) = filter(None, titles)
    assert len(title) <= 50


@every_figure
def test_axes_say_what_they_count(module):
    figure = Figure()
    module.draw(figure, module.data(), SCHEMES["light"])
    first = figure.axes[0]

    assert first.get_xlabel()
    assert first.get_ylabel()


@every_figure
def test_every_letter_of_a_figure_is_in_the_site_font(module):
    """matplotlib names the font of each letter; one from elsewhere would look foreign."""
    fonts = set(re.findall(r'id="(\w+)-[0-9a-f]+"', drawn(module, "light").decode()))

    assert not {font for font in fonts if font.startswith("DejaVu")}


def drawn(module, scheme):
    return render(module.draw, module.data(), scheme, getattr(module, "SIZE", SIZE))


def colors_of_images(svg):
    """Colours of the pictures inside a drawing, such as the cells of a heat map."""
    found = set()
    for encoded in re.findall(r'href="data:image/png;base64,\s*([^"]+)"', svg):
        image = Image.open(io.BytesIO(base64.b64decode(encoded))).convert("RGBA")
        pixels = {pixel[:3] for _, pixel in image.getcolors(1 << 16) if pixel[3]}
        found |= {to_hex(np.array(pixel) / 255) for pixel in pixels}
    return found


def off_palette(color, scheme):
    """Distance to the nearest colour of a scheme, or to one of its two ramps."""
    point = np.array(to_rgb(color))
    alone = min(np.abs(point - to_rgb(other)).max() for other in scheme.values())
    ramps = (("fast", "slow"), ("lo", "mid"), ("mid", "hi"))
    return min(alone, *(off_line(point, scheme[a], scheme[b]) for a, b in ramps))


def off_line(point, start, end):
    start, end = np.array(to_rgb(start)), np.array(to_rgb(end))
    share = np.clip(
        (point - start) @ (end - start) / max((end - start) @ (end - start), 1e-9), 0, 1
    )
    return np.abs(point - start - share * (end - start)).max()


def test_speeds_go_from_fast_to_slow():
    colors = SCHEMES["light"]

    assert speeds(colors, 1) == [colors["fast"]]
    assert speeds(colors, 5)[0] == colors["fast"]
    assert speeds(colors, 5)[-1] == colors["slow"]


# ---- steppers ----


@every_scene
def test_a_stepper_has_two_to_six_frames_of_one_height(module):
    frames = module.frames(module.data())

    assert 2 <= len(frames) <= 6
    assert len({frame.height for frame in frames}) == 1
    assert frames[0].height <= 280


@every_scene
def test_every_frame_says_in_words_what_it_shows(module):
    alts = [frame.alt for frame in module.frames(module.data())]

    assert len(set(alts)) == len(alts)
    assert all(len(alt) >= 40 and alt.endswith(".") for alt in alts)


@every_scene
def test_things_glide_from_frame_to_frame(module):
    """Without a key that stays, a step would be a cut."""
    frames = module.frames(module.data())

    for before, after in itertools.pairwise(frames):
        assert before.things.keys() & after.things.keys()


@every_scene
def test_a_thing_comes_out_of_one_that_exists(module):
    frames = module.frames(module.data())
    keys = {key for frame in frames for key in frame.things}
    origins = {
        origin for frame in frames for origin in re.findall(r'data-enter="(.+?)"', frame.svg())
    }

    assert origins <= keys


@every_scene
def test_nothing_sticks_out_of_the_drawing(module):
    for frame in module.frames(module.data()):
        for x, y in re.findall(r"translate\(([-\d.]+)px,([-\d.]+)px\)", frame.svg()):
            assert 0 <= float(x) <= 360
            assert 0 <= float(y) <= frame.height


def test_a_key_is_new_in_its_frame():
    frame = Frame("alt", 100).put("dog", 0, 0, "")

    with pytest.raises(ValueError, match="key must be new in its frame, got 'dog' twice"):
        frame.put("dog", 1, 1, "")


def test_alt_text_cannot_break_the_markup():
    assert 'aria-label="1 &lt; 2 &quot;so&quot;"' in Frame('1 < 2 "so"', 10).svg()


def test_a_turn_is_anticlockwise_in_degrees():
    assert "rotate(-90deg)" in Frame("alt", 10).put("hand", 0, 0, "", turn=90).svg()


@pytest.mark.parametrize(
    ("value", "shown"), [(0.5, "0.500"), (-0.4161, "−0.416"), (-0.0001, "0.000"), (12, "12.000")]
)
def test_a_number_has_a_true_minus_and_no_negative_zero(value, shown):
    assert number(value) == shown


@pytest.mark.parametrize(("value", "shade"), [(0.25, "0.250"), (1.909, "1.000"), (-3, "-1.000")])
def test_a_value_beyond_one_saturates(value, shade):
    assert f'style="--v:{shade}"' in cell(0, value, "token", 60, 34)


# ---- explorers ----


class Markup(HTMLParser):
    """What a widget holds: its tags, and the inputs that stand inside a label."""

    def __init__(self, markup):
        super().__init__()
        self.open, self.tags, self.named, self.unnamed = [], [], 0, 0
        self.feed(markup)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag == "input":
            if "label" in self.open:
                self.named += 1
            else:
                self.unnamed += 1
        elif tag not in ("br", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def find(self, tag, **attributes):
        return [
            found
            for name, found in self.tags
            if name == tag and all(found.get(key) == value for key, value in attributes.items())
        ]


@every_widget
def test_a_widget_works_by_native_labelled_inputs(module):
    markup = Markup(module.widget(module.data(), "x"))

    assert not markup.open
    assert markup.named
    assert not markup.unnamed
    assert {found["type"] for found in markup.find("input")} <= {"range", "radio"}


@every_widget
def test_a_widget_says_its_result_in_a_sentence_and_shows_a_table(module):
    markup = Markup(module.widget(module.data(), "x"))

    (says,) = markup.find("p", role="status")
    assert "says" in says["class"].split()
    assert markup.find("table")
    assert all("scope" in head for head in markup.find("th"))


def element(module):
    """The name of a widget's element, without its prefix, and its attributes."""
    markup = Markup(module.widget(module.data(), "../data/here"))
    ((name, attributes),) = [found for found in markup.tags if found[0].startswith("pe-")]
    return name.removeprefix("pe-"), attributes


LOOKUPS = [found for found in having("widget") if element(found.values[0])[0] == "lookup"]
OTHERS = [found for found in having("widget") if element(found.values[0])[0] != "lookup"]


@every_widget
def test_a_widget_has_its_script_and_names_where_its_data_are(module):
    name, attributes = element(module)
    script = (DOCS / f"assets/js/{name}.js").read_text("utf-8")

    assert f'customElements.define("pe-{name}"' in script
    assert attributes["data-src"] == "../data/here"


@pytest.mark.parametrize("module", LOOKUPS)
def test_what_an_explorer_looks_up_is_what_it_shows(module):
    data = module.data()
    markup = Markup(module.widget(data, "x"))
    named = {tag["data-k"] for _, tag in markup.tags if "data-k" in tag}
    controls = {tag["name"] for tag in markup.find("input")}

    assert named == data["shown"].keys()
    assert data["start"].keys() <= controls
    assert data["start"].keys() == data["axes"].keys() - data["sums"].keys()


COUNTED = "tokens|words|places|positions|layers|rows|pairs|steps|turns|heads|buckets|seats|others"


@pytest.mark.parametrize("module", LOOKUPS)
def test_an_explorer_never_counts_one_in_the_plural(module):
    """Its texts are written for every state, so for a count of one too."""
    one_of_many = re.compile(rf"(?<![\d.,−-])1 ({COUNTED})\b")

    for name, thing in module.data()["shown"].items():
        assert not one_of_many.search(json.dumps(thing["values"], ensure_ascii=False)), name


@pytest.mark.parametrize("module", OTHERS)
def test_script_and_markup_name_the_same_blanks_and_controls(module):
    name = module.__name__.removeprefix("_figures.").replace("_", "-")
    script = (DOCS / f"assets/js/{name}.js").read_text("utf-8")
    markup = module.widget(module.data(), "x")
    words = set(re.findall(r"\w+", script))
    controls = {tag["name"] for tag in Markup(markup).find("input")}

    assert set(re.findall(r'data-say="(\w+)"', markup)) <= words
    assert controls <= words
    assert set(re.findall(r'this\.number\("(\w+)"\)', script)) <= controls


@every_widget
def test_each_data_file_is_small(module):
    data = module.data()
    parts = module.parts(data) if hasattr(module, "parts") else {"": data}

    for name, part in parts.items():
        packed = gzip.compress(json.dumps(part, separators=(",", ":")).encode(), 9)
        assert len(packed) <= LARGEST_JSON, name


def test_no_script_writes_markup():
    for path in (DOCS / "assets/js").glob("*.js"):
        script = path.read_text("utf-8")

        assert "innerHTML" not in script, path.name
        assert "insertAdjacentHTML" not in script, path.name
        assert "eval(" not in script, path.name


def test_scripts_and_styles_keep_to_their_budget():
    """Those of the config decoder are loaded on its page alone; its own tests weigh them."""
    paths = sorted((DOCS / "assets/js").glob("*.js"))
    decoder = ("config-reader.js", "config-words.js", "decoder.js")
    scripts = b"".join(path.read_bytes() for path in paths if path.name not in decoder)
    styles = (DOCS / "assets/css/site.css").read_bytes()

    assert len(gzip.compress(scripts, 9)) <= 20 * 1024
    assert len(gzip.compress(styles, 9)) <= 10 * 1024


# ---- numbers that a hand can check ----

D4_ROWS = [[0, 1, 0, 1], [0.841, 0.540, 0.010, 1.000], [0.909, -0.416, 0.020, 1.000]]


def test_token_plus_position_adds_the_d4_rows_to_dog():
    data = MODULES["token_plus_position"].data()

    np.testing.assert_allclose(data["position"], D4_ROWS, atol=5e-4)
    np.testing.assert_allclose(data["sum"][0], [1, 1, 1, 1])
    np.testing.assert_allclose(data["sum"][2], [1.909, -0.416, 1.020, 1.000], atol=5e-4)


def test_word_order_shows_one_dog_that_becomes_two():
    data = MODULES["word_order"].data()
    in_front, at_end = data["placed"][0][0], data["placed"][1][2]

    assert data["lines"][0][0] == data["lines"][1][2] == "dog"
    np.testing.assert_allclose(in_front, [1, 1, 1, 1])
    np.testing.assert_allclose(at_end, [1.909, -0.416, 1.020, 1.000], atol=5e-4)


def test_clock_hands_turn_ten_times_more_slowly_each():
    data = MODULES["clock_hands"].data()

    np.testing.assert_allclose(data["speeds"], [1, 0.1, 0.01, 0.001])
    np.testing.assert_allclose(data["rows"][3][:4], [-0.279, 0.960, 0.565, 0.825], atol=5e-4)


def test_shift_turns_by_one_matrix_from_both_starts():
    data = MODULES["shift_turns"].data()
    turn = 3 * 0.5
    matrix = [[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]

    assert data["speed"] == pytest.approx(0.5)
    np.testing.assert_allclose(data["matrix"], matrix, atol=1e-4)
    for start in (1, 5):
        old, new = data["pairs"][str(start)], data["pairs"][str(start + 3)]
        np.testing.assert_allclose(old, [np.sin(start / 2), np.cos(start / 2)], atol=1e-4)
        np.testing.assert_allclose(np.array(matrix) @ old, new, atol=2e-4)


def test_explorer_holds_the_well_known_wrong_looking_number():
    """Position 1, dimension 1 of the Tensor2Tensor table at d = 4 is sin(0.0001)."""
    table = MODULES["sinusoidal_explorer"].data()["tensor2tensor-4"]
    column = table["order"]["concatenated"][1]

    assert table["value"][1][column] == 1  # ten-thousandths
    assert table["divisor"] == [1, 10000]


def test_explorer_holds_the_d4_rows():
    table = MODULES["sinusoidal_explorer"].data()["paper-4"]

    np.testing.assert_allclose(np.array(table["value"][:3]) / 10_000, D4_ROWS, atol=5e-4)
    assert table["divisor"] == [1, 100]


def test_explorer_puts_columns_where_the_package_puts_them():
    """Second route: the package lays the halves out itself."""
    from posenc_ref import sinusoidal_table

    for name, table in MODULES["sinusoidal_explorer"].data().items():
        exponent, width = name.split("-")
        for layout, order in table["order"].items():
            expected = sinusoidal_table(64, int(width), exponent=exponent, layout=layout)
            values = np.array(table["value"])[:, order] / 10_000
            np.testing.assert_allclose(values, expected, atol=5.1e-5)


def test_explorer_says_its_first_state():
    module = MODULES["sinusoidal_explorer"]

    assert "sin(5 / 3.1623) = sin(1.5811) = 0.9999" in module.widget(module.data(), "x")


def test_similarity_is_that_of_the_paper_and_pencil_list():
    similarity = MODULES["similarity_guess"].data()["similarity"]
    d4 = [1.000, 0.770, 0.292, 0.005, 0.173, 0.641, 0.979, 0.876, 0.426]

    assert similarity["64"][1] == pytest.approx(0.966, abs=5e-4)
    assert similarity["64"][50] == pytest.approx(0.490, abs=5e-4)
    np.testing.assert_allclose(similarity["4"][:9], d4, atol=5e-4)


def test_similarity_first_rises_from_distance_5_to_6():
    data = MODULES["similarity_curve"].data()

    assert data["first_rise"] == 5
    assert data["similarity"][6] > data["similarity"][5]
    assert data["similarity"] == MODULES["similarity_guess"].data()["similarity"]["64"]


def test_longest_wave_of_the_printed_formula_is_short_of_the_full_base():
    data = MODULES["wavelengths"].data()

    assert data["printed"][0] == pytest.approx(2 * np.pi, abs=0.05)
    assert data["printed"][-1] == pytest.approx(2 * np.pi * 10000 ** (510 / 512), abs=0.05)
    assert data["printed"][-1] == pytest.approx(60_611.5, abs=0.05)
    assert data["tensor2tensor"][-1] == pytest.approx(62_831.9, abs=0.05)


def test_two_positions_share_a_sine_but_not_a_cosine():
    data = MODULES["one_sine_is_not_enough"].data()
    (sine, cosine), (same_sine, other_cosine) = data["at_marked"]

    assert data["marked"] == [6, pytest.approx(10 * np.pi - 6, abs=5e-4)]
    assert sine == same_sine == pytest.approx(np.sin(0.6), abs=5e-5)
    assert cosine == -other_cosine == pytest.approx(np.cos(0.6), abs=5e-5)


def test_doors_draw_the_three_marks_that_the_home_page_asks_for():
    marks = MODULES["doors"].MARKS

    assert marks.keys() == {"strip", "lines", "dial"}
    for draw in marks.values():
        assert draw().startswith("<svg")
        assert 'aria-hidden="true"' in draw()
