"""Under each function of the reference: what it was compared with, and where it is used."""

import re

import pytest

from _hooks import reference

BOX = """<div class="doc doc-object doc-function">


<h2 id="posenc_ref.alibi.{name}" class="doc doc-heading">x</h2>

    <div class="doc doc-contents ">

        <p>Text of {name}.</p>
<div class="language-pycon highlight"><pre><code>1
</code></pre></div>


    </div>

</div>
"""


def annotated(*names, sources=None, users=()):
    content = "".join(BOX.format(name=name) for name in names)
    return reference.annotate(content, sources or {}, list(users), lambda path: f"../{path}")


def test_each_function_gets_its_own_lists_inside_its_box():
    content = annotated(
        "a", "b",
        sources={"a": {"torch.x": "torch 1"}, "b": {"torch.y": "torch 2"}},
        users=[("lessons/one.md", "One & all", {"b"})],
    )  # fmt: skip
    first, second = content.split("Text of b")

    assert "torch 1: <code>torch.x</code>" in first
    assert "torch.y" not in first
    assert "Used on" not in first
    assert second.index("torch 2: <code>torch.y</code>") < second.index("\n    </div>\n\n</div>")
    assert '<a href="../lessons/one.md">One &amp; all</a>' in second


def test_a_function_without_either_keeps_its_box_as_it_was():
    assert annotated("a") == BOX.format(name="a")


def test_a_box_of_unknown_make_stops_the_build():
    heading = '<h2 id="posenc_ref.alibi.a" class="doc doc-heading">x</h2><p>Text</p>'

    with pytest.raises(ValueError, match="the box of a has no end"):
        reference.annotate(heading, {}, [], str)


def test_a_class_of_a_model_is_named_by_the_model():
    released = "transformers.models.beit.modeling_beit"

    assert reference.short(f"{released}.A, with {released}.B") == "beit.A, with beit.B"
    assert reference.short("x_transformers.attend.Attend") == "x_transformers.attend.Attend"


def test_names_are_those_taken_from_the_package():
    code = """
import numpy as np, posenc_ref
from posenc_ref import a, b as c
from posenc_ref.alibi import d
from numpy import e
posenc_ref.f(np.g)
"""

    assert reference.names_used(code) == {"a", "b", "d", "f"}


def test_the_sinusoidal_table_was_compared_with_marian_and_is_used_in_its_lesson():
    marian = "transformers.models.marian.modeling_marian.MarianSinusoidalPositionalEmbedding"
    used = {where: names for where, _, names in reference.pages()}

    assert reference.compared()["sinusoidal_table"][marian] == "transformers 5.24.0"
    assert "sinusoidal_table" in used["lessons/sinusoidal.md"]
    assert "sinusoidal_table" in used["index.md"]


def test_the_built_reference_shows_both(site):
    page = (site / "reference/sinusoidal/index.html").read_text("utf-8")
    table = page.split('id="posenc_ref.sinusoidal.sinusoidal_table"')[1]
    table = table.split('id="posenc_ref.sinusoidal.sinusoidal_at"')[0]

    assert "<code>marian.MarianSinusoidalPositionalEmbedding</code>" in table
    assert re.search(r'<a href="\.\./\.\./lessons/sinusoidal/">', table)
