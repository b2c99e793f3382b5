"""The site: accounts, webhooks, deletion of a collection, own data."""
