"""One program a claim about speed: each runs without arguments, and with `--small` in seconds."""
