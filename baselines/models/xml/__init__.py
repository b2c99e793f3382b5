"""XML, the cross-modal moment localisation network of TVR (Lei et al., ECCV 2020)."""
