"""What a release contains: splits, statistics, vocabulary."""
