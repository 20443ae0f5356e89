"""No script stands in a page: a site that forbids inline scripts can then be served as it is."""

import re
from hashlib import sha256

INLINE = re.compile(r"<script>(.*?)</script>(?:\s*<script>(.*?)</script>)*", re.DOTALL)
ONE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def move_out(page: str, base: str) -> tuple[str, dict[str, str]]:
    """Put each inline script into a file at the place where it ran.

    The theme writes a few small scripts into every page. Neighbours share a file. The file is
    named by its content, so pages that hold the same script share it too. It still blocks at its
    place, which matters: one of them sets the colour scheme before the first paint.

    Args:
        page: HTML of a page.
        base: Address of the site's root as seen from the page, with a slash at its end.

    Returns:
        The page without inline scripts, and the files by path.
    """
    files = {}

    def replace(found: re.Match[str]) -> str:
        content = ";\n".join(ONE.findall(found[0])) + "\n"
        path = f"assets/js/inline/{sha256(content.encode()).hexdigest()[:12]}.js"
        files[path] = content
        return f'<script src="{base}{path}"></script>'

    return INLINE.sub(replace, page), files
