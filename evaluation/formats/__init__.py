"""How runs, queries and moments are written and named in files."""
