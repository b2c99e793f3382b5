"""Our own judges: weak on purpose, fitted on what people decided."""
