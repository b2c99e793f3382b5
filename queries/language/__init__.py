"""Words, names and persons in descriptions: pure rules and the name tagger."""
