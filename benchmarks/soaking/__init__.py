"""The parts of `soak.py`: a site whose servers can be killed, simulated people, faults, and what is audited."""
