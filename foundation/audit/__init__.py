"""The trail of changes: who is acting, which tables are watched, what leads and owners read of it."""
