"""Answers of the API that are kept for a day, so that a request which is sent again does nothing twice."""

from django.db import models

from foundation.models.accounts import Account


class KeptAnswer(models.Model):
    """The answer to a request that came with a key; it is sealed, since it may hold what is shown only once."""

    account = models.ForeignKey(Account, models.CASCADE, related_name="+")
    key = models.CharField(max_length=100)
    asked = models.CharField(max_length=64, help_text="SHA-256 of method, path and body, in hexadecimal.")
    status = models.PositiveSmallIntegerField()
    content = models.TextField(blank=True, help_text="The body, sealed.")
    made_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "key"], name="one_answer_a_key")]

    def __str__(self) -> str:
        return self.key
