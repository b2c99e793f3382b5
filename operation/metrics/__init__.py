"""Figures in the Prometheus text format: requests, and gauges that are read when they are asked for."""
