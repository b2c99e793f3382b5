"""Texts in LaTeX."""

from __future__ import annotations

SIGNS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
"""What stands for a sign that LaTeX doesn't read as itself."""
_TABLE = str.maketrans(SIGNS)


def latex_text(text: str) -> str:
    r"""A text in which LaTeX reads every sign as itself.

    >>> print(latex_text("#Query & 97.79 %, a_b"))
    \#Query \& 97.79 \%, a\_b
    """
    return text.translate(_TABLE)
