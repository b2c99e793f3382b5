"""Annotators: guideline, training, exam, their own work, who judges what, starts and ends."""
