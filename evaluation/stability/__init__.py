"""How far can a measure be trusted? The studies of the AxIoU paper, as tools, and some beyond it."""
