"""The page System, for owners of the site."""
