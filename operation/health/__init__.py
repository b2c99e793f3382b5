"""Health: what is checked, the answers to probes, and the signs of life of workers."""
