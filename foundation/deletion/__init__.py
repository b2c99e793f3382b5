"""Deleting a whole collection: its rows, its files, and nothing of any other."""
