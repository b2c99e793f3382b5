"""The judging page: recording, timing and undoing judgments, flags, notices."""
