"""What is told of a collection and its releases: overview, agreement, figures, differences, citation, certificate."""
