"""Captions made elsewhere: files of them brought in bulk, checked as any others, and taken back."""
