"""The demo and its check: every room used once, from drawn videos to a scored release."""
