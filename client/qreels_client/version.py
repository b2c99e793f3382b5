"""The version of this package, which is the product's."""

__version__ = "0.1.0"
