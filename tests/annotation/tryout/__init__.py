"""Tests of judging tried out without an account."""
