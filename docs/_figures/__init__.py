"""Everything drawn on the site, one thing a file, with numbers from `posenc_ref` alone.

Each module holds `data()` and one of:

- `draw(fig, data, colors)`, a matplotlib figure, with an optional `SIZE` in inches;
- `frames(data)`, the frames of a stepper;
- `widget(data, src)`, the markup of an explorer in its first state.

A widget whose numbers are many splits them with `parts(data)`. Names with an underscore in front
are helpers.
"""
