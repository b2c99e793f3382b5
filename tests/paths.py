"""Where the checkout and the real data lie."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("QREELS_DATA") or ROOT.parent / "shared" / "data")
NO_DATA = "the data of development is not here (QREELS_DATA)"
"""Why a test is skipped without it; the last lines of a run count those."""
