"""Audits of judgments: of any file that somebody uploads, and of a release's own."""
