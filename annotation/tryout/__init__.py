"""Judging tried out without an account: six decided pairs of a collection that offers them. Nothing is stored."""
