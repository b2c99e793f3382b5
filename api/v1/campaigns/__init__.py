"""Shared tasks: the organiser's endpoints, and those of teams, who are members of no collection."""
