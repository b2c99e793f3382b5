"""Check an exported release from its files alone."""
