"""Import of descriptions: jobs, staging, rejected rows."""
