"""What several rooms stand on: locks, prepared SQL, parallel tasks, caches."""
