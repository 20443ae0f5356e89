"""How fast the package is, beside the libraries that do the same (`make bench`)."""
