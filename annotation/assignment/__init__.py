"""Who judges what next: assignment policy, seats, priorities, hidden repeats."""
