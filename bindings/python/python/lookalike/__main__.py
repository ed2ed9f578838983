"""The command ``lookalike``, also as ``python -m lookalike``."""

from __future__ import annotations

import signal
import sys


def main() -> int:
    """Does what the arguments of the process say."""
    # The command handles interrupts itself; Python would only notice them when it is over.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from lookalike import _lookalike

    return _lookalike.main(["lookalike", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
