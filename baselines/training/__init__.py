"""Training with the TVR-Ranking paper's adaptation (section 5, appendix C.1): pairs, batches, schedule, loop."""
