"""`python -m agents`."""

from __future__ import annotations

import sys

from agents.commands import main

if __name__ == "__main__":
    sys.exit(main())
