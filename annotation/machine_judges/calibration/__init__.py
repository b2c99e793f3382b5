"""Machine judges beside people: how far above them they grade, and how sure they may be."""
