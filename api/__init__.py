"""`/api/v1/`: what programs read and change, by the same guards, services and selectors as pages and commands."""
