"""Inter-annotator agreement: Cohen's kappa, Krippendorff's alpha, figures for a paper."""
