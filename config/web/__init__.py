"""The web server: gunicorn with a worker of our own, and limits on requests."""
