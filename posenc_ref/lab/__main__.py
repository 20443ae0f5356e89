"""`python -m posenc_ref.lab` is the command `posenc lab`."""

import sys

from posenc_ref.lab.command import main

if __name__ == "__main__":
    sys.exit(main())
