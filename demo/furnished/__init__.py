"""The demo's second collection: judged by simulated people, reviewed, released, so that nobody's first look is empty."""
