"""The pages of jobs: all of a collection, and one with its log."""
