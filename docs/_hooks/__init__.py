"""What the build does to the pages: one job a file, called in order by `build.py`."""
