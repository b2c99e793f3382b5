"""Simplified Chinese: thousands are grouped by comma, as in Chinese papers, and as browsers do it."""

THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
