"""Accounts: the site's owner, accounts of others, one-time links, one's own account and logins."""
