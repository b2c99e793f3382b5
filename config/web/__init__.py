"""The web server: gunicorn with a worker of its own, and what a request may weigh."""
