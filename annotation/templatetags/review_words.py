"""Template filters of the review pages."""

from django import template

from annotation.review.extend_rule import mean_in_words

register = template.Library()
register.filter("mean_in_words", mean_in_words)
