"""Running a site: its health, figures for monitoring, and what its owners are told."""
