"""What the programs of `benchmarks/` share: measuring, serving, load. No module here is a program."""
