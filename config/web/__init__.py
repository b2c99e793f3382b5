"""The web server: waitress with limits on requests, in several processes."""
