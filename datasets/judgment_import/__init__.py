"""Judgments made elsewhere, brought into a collection."""
