"""Mail: notices gathered into letters, sent by workers, refused by whoever doesn't want them."""
