"""Retention: what is kept about people goes after the days that the site's settings say (docs/retention.md)."""
