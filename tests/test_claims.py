"""Every claim has its number for life, a verdict, evidence, and a lesson that teaches it."""

import re

import pytest

from _hooks.fences import RUN, find_fences
from tests.conftest import DOCS

PAGE = (DOCS / "claims.md").read_text("utf-8")
CLAIMS = re.findall(
    r"^### .*?“(.*?)” \{ #claim-(\d\d) \}\n(.*?)(?=^##|\Z)", PAGE, re.DOTALL | re.MULTILINE
)
VERDICTS = {"False", "True under a condition", "Partly", "Not settled"}
every_claim = pytest.mark.parametrize(("claim", "number", "text"), CLAIMS)


def test_there_are_thirty_two():
    assert sorted(number for _, number, _ in CLAIMS) == [f"{k:02}" for k in range(1, 33)]


@every_claim
def test_a_claim_has_a_verdict_and_the_list_says_the_same(claim, number, text):
    verdict = re.match(r"\n\*\*Verdict\*\* (.*?)[.:] ", text)[1]

    assert verdict in VERDICTS
    assert f"| [{int(number)}](#claim-{number}) | “{claim}” | {verdict} |" in PAGE


@every_claim
def test_a_claim_has_a_check_that_runs_or_a_source_that_is_listed(claim, number, text):
    checks = [fence for fence in find_fences(text) if fence.language == RUN]
    cited = re.findall(r"([A-Z][\w-]+)(?: et al\.| and [A-Z][\w-]+|, [^()]*?)? (20\d\d)", text)
    sources = PAGE.partition("{ #sources }")[2]
    listed = [
        line
        for author, year in cited
        for line in sources.splitlines()
        if author in line and year in line
    ]

    assert checks or listed


@every_claim
def test_a_claim_leads_to_where_it_is_taught(claim, number, text):
    assert re.search(
        r"^\*\*Taught in\*\* \[.*?\]\((lessons|reference|compare|mistakes)", text, re.MULTILINE
    )


def test_most_claims_can_be_checked_by_running_something():
    checked = [n for _, n, text in CLAIMS if "```python" in text]

    assert len(checked) >= 20
