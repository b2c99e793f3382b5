"""The organiser's pages."""
