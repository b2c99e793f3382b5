"""Factors: questions beside the grade; declared, asked, and how they explain grades."""
