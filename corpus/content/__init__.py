"""Kinds of content: which videos have what somebody may not want to see, or may not see yet."""
