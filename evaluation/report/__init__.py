"""A query-by-query page of HTML from a release and runs."""
