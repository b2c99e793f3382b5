"""Scores from few people's judgments and many of a machine's, with intervals that hold whatever the machine is."""
