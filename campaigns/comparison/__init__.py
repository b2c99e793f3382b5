"""Which runs of a campaign differ, and what each topic was worth to whom."""
