"""Teams, their members, and the links by which these join."""
