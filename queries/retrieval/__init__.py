"""Embeddings and the exact search for similar captions."""
