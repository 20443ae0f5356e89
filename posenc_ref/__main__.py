"""`python -m posenc_ref` is the command `posenc`."""

import sys

from posenc_ref.command import main

if __name__ == "__main__":
    sys.exit(main())
