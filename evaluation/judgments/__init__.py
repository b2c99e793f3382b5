"""What is in a file of judgments: the consensus rule, repeated ids, agreement, and an audit of all of it."""
