"""Collections and their members."""
