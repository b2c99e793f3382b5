"""`python -m queries.tagger_training`: train the name tagger."""

import sys

from queries.tagger_training.train import main

sys.exit(main())
