"""The pages of teams, and the public one."""
