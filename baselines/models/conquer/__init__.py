"""CONQUER: Hou, Ngo and Chan, "CONQUER: Contextual Query-aware Ranking for Video Corpus Moment Retrieval", MM 2021."""
