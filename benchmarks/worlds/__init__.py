"""Collections that benchmarks measure in, generated at any size. No module here is a program."""
