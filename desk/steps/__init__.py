"""The steps of the work as the overview tells them: pure rules over counted facts."""
