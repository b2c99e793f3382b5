"""The demo's second collection: judged by simulated people, reviewed, released, so that no first look is empty."""
