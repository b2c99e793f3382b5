"""Who may see what: guards, logins, tokens, cleaned form input."""
