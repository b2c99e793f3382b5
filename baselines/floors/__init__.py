"""Systems without training, as floors: random moments, and text-to-frame similarity."""
