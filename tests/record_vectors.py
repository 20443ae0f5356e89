"""Write the published vectors, from formulas alone: nothing here imports posenc_ref.

`python -m tests.record_vectors` writes the small sets to posenc_ref/vectors.json (one file, so that
they take ten kilobytes of the wheel and not twenty) and the large ones to docs/vectors/v1; with
`--check` it only says which files differ. The arithmetic of each rule stands in tests/worked, one
family a file, to be read against the formula that each set states as its source.
"""

import sys
from pathlib import Path

from tests.worked import biases, places, ramps, rotations, scalings, tables
from tests.worked.exact import with_enough_digits
from tests.worked.form import dumped, joined

ROOT = Path(__file__).parents[1]
SMALL = ROOT / "posenc_ref" / "vectors.json"
LARGE = ROOT / "docs" / "vectors" / "v1"


@with_enough_digits
def files():
    """Path → text of each file."""
    families = (rotations, scalings, ramps, biases, tables, places)
    made = {SMALL: joined(vectors for family in families for vectors in family.sets())}
    for family in (rotations, ramps, biases, tables):
        made |= {LARGE / f"{vectors['name']}.json": dumped(vectors) for vectors in family.large()}
    return made


def main(arguments):
    differing = {
        path: text
        for path, text in files().items()
        if not path.exists() or path.read_text("utf-8") != text
    }
    if arguments == ["--check"]:
        return "\n".join(f"{path.relative_to(ROOT)} differs" for path in differing) or None
    for path, text in differing.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        print(path.relative_to(ROOT))
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
