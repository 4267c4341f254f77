"""`python -m paohuzi_env`: the same as the command `paohuzi`."""

from __future__ import annotations

import sys

from paohuzi_env.cli import main

if __name__ == "__main__":
    sys.exit(main())
