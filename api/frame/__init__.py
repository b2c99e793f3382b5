"""What all endpoints have in common: who asks, refusals, pages of lists, repeated requests, the description."""
