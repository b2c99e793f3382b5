"""What a campaign's board shows, and to whom."""
