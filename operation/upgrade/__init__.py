"""An upgrade of the site: announced, backed up, migrated, checked; broken off, it goes on when it is called again."""
