"""Gold: the lead's list, how people grade it, and what is done about judgments since it went wrong."""
