"""Vectors of texts: which are known, the files in the storage that have them, and indexes of these files."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q


class VectorShard(models.Model):
    """A file of unit vectors by one encoder, which never changes; `Embedding` says what its rows are of.

    Its row is there before the file, so that one whose writer was killed is found and removed.
    """

    encoder = models.CharField(max_length=200, help_text="The model's name, its fingerprint and precision.")
    rows = models.PositiveIntegerField()
    texts_sha256 = models.CharField(max_length=64, help_text="Of the texts' SHA-256 digests, in the order of the rows.")
    sha256 = models.CharField(max_length=64, blank=True, help_text="Of the file; empty while it is being written.")
    written_as = models.CharField(max_length=300, unique=True, help_text="The file's name, from before it is written.")
    vectors_file = models.CharField(
        max_length=300, blank=True, help_text="Its name in the storage once it is whole: .npy, float32, little-endian."
    )
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["encoder"], name="vector_shards_by_encoder")]

    def __str__(self) -> str:
        return self.written_as


class Embedding(models.Model):
    """A text's unit vector by one encoder, kept so that no text is encoded twice.

    It lies in this row at first, and is then moved to a place in a shard (`queries.retrieval.vector_shards`).
    """

    encoder = models.CharField(max_length=200)
    digest = models.BinaryField(max_length=32, help_text="SHA-256 of the text.")
    vector = models.BinaryField(null=True, help_text="float32, little-endian; empty once it lies in a shard.")
    shard = models.ForeignKey(VectorShard, models.PROTECT, null=True, related_name="embeddings")
    place = models.PositiveIntegerField(null=True, help_text="Its row in the shard, from 0.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["encoder", "digest"], name="one_embedding_a_text"),
            models.CheckConstraint(
                condition=Q(vector__isnull=False, shard__isnull=True, place__isnull=True)
                | Q(vector__isnull=True, shard__isnull=False, place__isnull=False),
                name="a_vector_lies_in_its_row_or_in_a_shard",
            ),
        ]
        indexes = [models.Index(fields=["encoder", "id"], name="vectors_outside_shards", condition=Q(shard=None))]


class VectorIndex(models.Model):
    """An index of some files of vectors for the approximate search (`queries.retrieval.vector_indexes`).

    It follows from these files alone and goes with them. Its row is there before its file, as a shard's is.
    """

    identity = models.CharField(max_length=64, unique=True, help_text="SHA-256 of what it is made of, and how.")
    shards = ArrayField(models.CharField(max_length=64), help_text="The SHA-256 of each file, in their order.")
    rows = models.PositiveIntegerField()
    written_as = models.CharField(max_length=300, help_text="The file's name, from before it is written.")
    index_file = models.CharField(max_length=300, blank=True, help_text="Its name once it is whole: .npy, bytes.")
    sha256 = models.CharField(max_length=64, blank=True, help_text="Of the file.")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "vector indexes"

    def __str__(self) -> str:
        return self.written_as
