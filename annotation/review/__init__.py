"""The lead's review of decided batches, and adjudication of discarded pairs."""
