"""Backups: the database, the storage's files and the uploaded videos, as of one moment; and their way back."""
