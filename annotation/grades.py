"""The grades 0 to 4 of the paper (rule 5). How a collection's own are called: `annotation/scale.py`. Pure."""

GRADES = tuple(range(5))
GRADE_COUNT = len(GRADES)
