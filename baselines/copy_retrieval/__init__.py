"""Copy retrieval, HAP-VR's own task in small: which videos are copies of a query, with and without QuadLinear-AP.

Source: HAP-VR (arXiv 2407.15566), supplement, section B. Where it leaves something open, its published code decided.
"""
