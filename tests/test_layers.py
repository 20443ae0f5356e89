"""The package as a whole: who imports whom, what it needs, what it offers."""

import ast
import doctest
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import posenc_ref

PACKAGE = Path(__file__).parents[1] / "posenc_ref"
MODULES = sorted(PACKAGE.glob("[!_]*.py"))

# A module imports from the rows above its own, never from beside or below.
LAYERS = [
    {"kinds", "checks", "comparison", "printable"},
    {"positions", "turns", "pairs", "rotary_fast", "diagonals", "operands"},
    {
        *("sinusoidal", "embedding", "learned", "resizing", "fourier"),
        *("rotary", "rotary_distances", "rotary_weights", "xpos"),
        *("alibi", "t5", "kernels", "windows"),
        *("transformer_xl", "deberta", "tupe", "decomposed", "content", "polar"),
        *("attention", "temperature", "grouped", "multimodal"),
    },
    {"grids", "shaw", "rotary_decoupled", "scaling", "longrope", "axial", "mrope"},
    {"yarn", "mistaken_biases", "mistaken_frequencies", "mistaken_places", "mistaken_rotations"},
    {"mistaken_ramps"},
    {"mistakes"},
    {"conformance"},
    {"expressions"},
    {"ladders", "unknown_types", "config_source"},
    {"model_positions", "model_table"},
    {"rope_blocks", "config_layers", "config_findings", "models", "explain"},
    {"config_parts"},
    {"config"},
    {"lab", "command_io"},
    {"command_check", "command_compare", "command_explain", "command_tables"},
    {"command_arguments"},
    {"command"},
]
ROW = {name: row for row, names in enumerate(LAYERS) for name in names}

PUBLIC = {
    "Bias",
    "ConfigError",
    "Frequencies",
    "ModelPositions",
    "Rotation",
    "Table",
    "alibi_bias",
    "alibi_bias_at",
    "alibi_slopes",
    "apply_rotary",
    "attention",
    "attention_weights",
    "axial_rotary",
    "causal_mask",
    "centred_grid_positions",
    "check",
    "config_frequencies",
    "continuous_window_bias",
    "convert_rotary_weights",
    "cope_bias",
    "deberta_buckets",
    "deberta_scores",
    "decomposed_bias",
    "decoupled_rotary",
    "embed",
    "explain",
    "fire_bias",
    "forgetting_bias",
    "fourier_features",
    "gaussian_fourier_features",
    "grid_positions",
    "grouped_positions",
    "kerple_bias",
    "learnable_fourier_features",
    "linear_fourier_features",
    "lookup_positions",
    "mrope_axes",
    "mrope_cos_sin",
    "mrope_positions",
    "next_positions",
    "offset_positions",
    "opt_positions",
    "packed_positions",
    "packed_segments",
    "polar_inv_freq",
    "polar_scores",
    "polar_vectors",
    "positions_from_mask",
    "query_temperature",
    "read_config",
    "rectified_positions",
    "relative_positions",
    "relative_shift",
    "resize_grid",
    "resize_table",
    "resize_window_table",
    "rotary_cos_sin",
    "rotary_inv_freq",
    "rotary_permutation",
    "rotary_scores",
    "row_column_table",
    "sandwich_bias",
    "scale_dynamic",
    "scale_linear",
    "scale_llama3",
    "scale_longrope",
    "scale_ntk",
    "scale_proportional",
    "scale_yarn",
    "segment_mask",
    "shaw_attention",
    "shaw_scores",
    "sinusoidal_at",
    "sinusoidal_grid",
    "sinusoidal_inv_freq",
    "sinusoidal_shift",
    "sinusoidal_table",
    "t5_bias",
    "t5_buckets",
    "tied_logits",
    "transformer_xl_distances",
    "transformer_xl_scores",
    "tupe_scores",
    "undo_rotary",
    "vectors",
    "window_bias",
    "window_coordinates",
    "window_index",
    "xpos_scales",
    "yarn_bounds",
    "yarn_mscale",
}
FUNCTIONS = sorted(name for name in PUBLIC if inspect.isfunction(getattr(posenc_ref, name)))


def imported_modules(path):
    """Every module that a file imports, at any depth, by its full name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative import"
            if node.module == "posenc_ref":
                yield from (f"posenc_ref.{alias.name}" for alias in node.names)
            else:
                yield node.module


def test_every_module_has_its_row():
    assert {path.stem for path in MODULES} | {"lab"} == ROW.keys()  # test_lab.py has its own rows


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_imports_come_from_the_rows_above(path):
    for name in imported_modules(path):
        if name.startswith("posenc_ref."):
            assert ROW[name.split(".")[1]] < ROW[path.stem], name


@pytest.mark.parametrize("path", sorted(PACKAGE.glob("**/*.py")), ids=lambda path: path.stem)
def test_a_module_imports_numpy_the_standard_library_and_the_package_only(path):
    allowed = {"numpy", "posenc_ref"} | sys.stdlib_module_names

    assert {name.split(".")[0] for name in imported_modules(path)} <= allowed


def test_importing_and_using_the_package_loads_no_third_party_module_but_numpy():
    script = """
import sys
before = set(sys.modules)
import posenc_ref
posenc_ref.sinusoidal_table(3, 4)
posenc_ref.attention([[1.0]], [[1.0]], [[1.0]])
tops = {name.split(".")[0] for name in set(sys.modules) - before}
print(*sorted(tops - set(sys.stdlib_module_names)))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )

    assert done.stdout.split() == ["numpy", "posenc_ref"]


def test_importing_the_package_does_not_load_decimal():
    """It is needed for frequencies only, and takes as long to load as the package itself."""
    script = """
import sys, numpy
before = set(sys.modules)
import posenc_ref
print(*sorted(set(sys.modules) - before - {name for name in sys.modules if "posenc_ref" in name}))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )

    assert "decimal" not in done.stdout.split()


def test_the_public_names_are_these():
    assert set(posenc_ref.__all__) == PUBLIC
    assert len(posenc_ref.__all__) == len(PUBLIC)


def test_every_public_function_is_listed():
    """A function without an underscore in a scheme's module is offered to all, or not public."""
    inner = {"mistaken_frequencies"}  # of `conformance`, which offers its own
    schemes = [path.stem for path in MODULES if 2 <= ROW[path.stem] <= ROW["yarn"]]
    schemes = [*(stem for stem in schemes if stem not in inner), "positions"]
    for stem in schemes:
        module = sys.modules[f"posenc_ref.{stem}"]
        offered = {
            name
            for name, value in vars(module).items()
            if inspect.isfunction(value)
            and value.__module__ == module.__name__
            and not name.startswith("_")
        }
        assert offered <= PUBLIC, stem


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_has_the_sections_of_its_page(name):
    text = inspect.getdoc(getattr(posenc_ref, name))

    sections = re.findall(r"^(Args|Returns|Raises|Examples):$", text, re.MULTILINE)
    assert sections == ["Args", "Returns", "Raises", "Examples"]
    assert ">>> " in text.split("Examples:")[1]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_examples_of_a_public_function_run_on_their_own(name):
    """In an empty namespace: who copies the block must not have to guess its imports."""
    [examples] = doctest.DocTestFinder().find(getattr(posenc_ref, name), name, globs={})
    complaints = []

    result = doctest.DocTestRunner(verbose=False).run(examples, out=complaints.append)

    assert result.attempted > 1  # an import, and what it is for
    assert result.failed == 0, "".join(complaints)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_describes_every_argument(name):
    function = getattr(posenc_ref, name)
    args = inspect.getdoc(function).split("Args:")[1].split("Returns:")[0]

    described = re.findall(r"^    (\w+): ", args, re.MULTILINE)

    assert described == list(inspect.signature(function).parameters)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_module_opens_with_a_docstring(path):
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("module", sorted({getattr(posenc_ref, n).__module__ for n in FUNCTIONS}))
def test_a_module_of_the_reference_says_first_what_kind_of_result_it_gives(module):
    first_line = inspect.getdoc(sys.modules[module]).splitlines()[0]

    assert re.fullmatch(r"\w.*\. Result: \w.*\.", first_line)
