"""For notebooks and scripts: a release loaded, runs scored, and what one asks of scores, each answer a table."""
