"""Teams' runs that go into the collection's pool, to be judged."""
