"""Systems that are trained and scored on a release; plain files in, runs out."""
