"""Webhooks: other programs are told by HTTP of what happens in a collection or on the site (docs/webhooks.md)."""
