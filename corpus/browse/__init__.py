"""The lead's pages of videos and moments."""
