"""SPR, segments, proposals and ranking (Zhang, Zhu and Sun, arXiv 2501.05072, 2025)."""
