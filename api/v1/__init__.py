"""The endpoints of version 1, a module a subject. Each asks a service or a selector and decides nothing itself."""
