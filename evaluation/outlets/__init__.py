"""A release in the formats of the field: each outlet writes, of its files alone, what a certain tool reads."""
