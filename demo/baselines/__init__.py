"""Baselines on the paper theatre: trained, searched, put on the demo's leaderboards, and measured."""
