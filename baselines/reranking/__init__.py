"""A run's best moments put in order again by a model on a server, or by a command."""
