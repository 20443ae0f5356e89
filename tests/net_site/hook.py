"""The net's three calls, in the order in which a build makes them."""

from pathlib import Path

from mkdocs.structure.files import File

from _hooks import drawn, fences, numbers


def on_page_markdown(markdown, page, config, files):
    where = page.file.src_uri
    markdown = fences.expand(markdown, [Path(config.docs_dir)])
    markdown = numbers.check_numbers(markdown, where)
    markdown, pictures = drawn.insert(markdown, where, lambda key, make: make())
    for path, content in pictures.items():
        files.append(File.generated(config, path, content=content))
    return markdown
