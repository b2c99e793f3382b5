"""The topics and videos of a campaign, frozen, and the files that teams download."""
