"""Reusability certificates: how far a release can be trusted for systems that had no part in it."""
