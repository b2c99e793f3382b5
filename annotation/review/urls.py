"""Addresses of the review and of discarded pairs."""

from django.urls import path

from annotation.review import adjudication_views, replay_views, span_views, views
from foundation.access.study_pages import not_of_studies

urlpatterns = [
    path("c/<slug:name>/review/<int:batch_id>/", views.sheet, name="review-batch"),
    path("c/<slug:name>/discarded/", adjudication_views.page, name="discarded"),
    path(
        "c/<slug:name>/discarded/<int:pair_id>/adjudicate", adjudication_views.adjudicate, name="discarded-adjudicate"
    ),
    path(
        "c/<slug:name>/discarded/adjudications/<int:adjudication_id>/withdraw",
        adjudication_views.withdraw,
        name="discarded-withdraw",
    ),
    *not_of_studies(
        path("c/<slug:name>/spans/", span_views.page, name="spans"),
        path("c/<slug:name>/spans/<int:pair_id>/set", span_views.set_, name="span-set"),
        path("c/<slug:name>/spans/set/<int:ruling_id>/withdraw", span_views.withdraw, name="span-withdraw"),
    ),
    path("c/<slug:name>/replay/", replay_views.replay, name="replay"),
    *not_of_studies(
        path("c/<slug:name>/review/", views.first, name="review"),
        path("c/<slug:name>/review/queue", views.queue, name="review-queue"),
        path("c/<slug:name>/review/<int:batch_id>/decide", views.decide, name="review-decide"),
        path("c/<slug:name>/review/<int:batch_id>/take-back", views.take_back, name="review-take-back"),
        path("c/<slug:name>/review/decisions/", views.decisions, name="review-decisions"),
        path("c/<slug:name>/review/decide-clear", views.decide_clear, name="review-decide-clear"),
        path("c/<slug:name>/review/decisions/csv", views.decisions_csv, name="review-decisions-csv"),
    ),
]
