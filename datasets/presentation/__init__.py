"""A release's page as a publication, which its collection's owner can make public."""
