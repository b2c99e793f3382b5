"""Topics: queries of their own, without a moment as their source."""
