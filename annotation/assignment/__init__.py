"""Who judges what next: assignment policy, seats, priorities, what is slipped in (hidden repeats)."""
