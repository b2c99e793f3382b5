"""Infrastructure that all rooms share: jobs, task queue, locks, prepared SQL, parallel tasks, caches."""
