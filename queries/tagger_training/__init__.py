"""Training of the name tagger that ships under queries/weights/."""
