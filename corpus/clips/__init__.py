"""Videos read, clips cut and stored."""
