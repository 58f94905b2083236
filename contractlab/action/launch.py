"""What `action.yml` starts, with `python -I`: nothing of the caller's checkout is importable."""

import sys
from pathlib import Path

# Isolated mode leaves out even this file's folder; first, or an installed contractlab would win.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from contractlab.action.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
