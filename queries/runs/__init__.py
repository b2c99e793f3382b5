"""Systems' runs added to a collection before judging, and pools chosen from them."""
