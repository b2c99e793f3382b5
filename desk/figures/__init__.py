"""The figures of the paper's appendix: drawn as SVG, for a paper and for the page, each with its data."""
