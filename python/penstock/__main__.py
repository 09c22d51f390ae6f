"""python -m penstock."""

import sys

from penstock._cli import main

sys.exit(main())
