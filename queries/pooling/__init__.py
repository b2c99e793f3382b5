"""The draw of queries and their candidate moments."""
