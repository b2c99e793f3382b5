"""Runs that teams send: received, checked, decided."""
