"""The program that the answers are compared with."""

from __future__ import annotations

import os
import shutil

PROGRAM = os.environ.get("LOOKALIKE") or shutil.which("lookalike") or "lookalike"
"""The variable LOOKALIKE names it, or it is the one that the package installs."""
