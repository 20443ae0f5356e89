"""Text from a file that somebody else wrote, made safe to show on a terminal."""


def printable(text: str, *, kept: str = "") -> str:
    r"""The text with every character that shows nothing, or gives orders, written out.

    A terminal obeys some characters: one moves the cursor, another turns the line
    around. A config may hold them, in a key or in its `model_type`.

    Args:
        text: Any text.
        kept: Characters to leave as they are, such as a line end.

    Returns:
        The same text in printable characters and spaces.

    Examples:
        >>> printable("ll\x1b[2Jama\n")
        'll\\x1b[2Jama\\n'
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in kept else char.encode("unicode_escape").decode()
        for char in text
    )
