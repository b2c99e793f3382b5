"""Who judges what next: routing, seats, priorities, hidden repeats."""
