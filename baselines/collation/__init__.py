"""Features read, pooled, padded and put together as models take them."""
