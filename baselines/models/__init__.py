"""The models, written anew after their papers: a folder each, with its module, its configuration and its loss."""
