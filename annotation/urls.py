from django.urls import include, path

from annotation.views import computed, flags, judge, replay, review, time, work

urlpatterns = [
    path("", include("annotation.qualification_urls")),
    path("c/<slug:name>/judge/", judge.page, name="judge"),
    path("c/<slug:name>/judge/next", judge.next_, name="judge-next"),
    path("c/<slug:name>/judge/grade", judge.grade, name="judge-grade"),
    path("c/<slug:name>/judge/undo", judge.undo, name="judge-undo"),
    path("c/<slug:name>/judge/flag", judge.flag, name="judge-flag"),
    path("c/<slug:name>/judge/alive", judge.alive, name="judge-alive"),
    path("c/<slug:name>/judge/leave", judge.leave, name="judge-leave"),
    path("c/<slug:name>/judge/progress", judge.progress, name="judge-progress"),
    path("c/<slug:name>/judge/answers/<int:flag_id>/read", flags.read, name="judge-answer-read"),
    path("c/<slug:name>/judge/time/", time.own_time, name="own-time"),
    path("c/<slug:name>/review/", review.first, name="review"),
    path("c/<slug:name>/review/queue", review.queue, name="review-queue"),
    path("c/<slug:name>/review/<int:batch_id>/", review.sheet, name="review-batch"),
    path("c/<slug:name>/review/<int:batch_id>/decide", review.decide, name="review-decide"),
    path("c/<slug:name>/flags/", flags.flags, name="flags"),
    path("c/<slug:name>/flags/queue", flags.queue, name="flag-queue"),
    path("c/<slug:name>/flags/<int:flag_id>/answer", flags.answer, name="flag-answer"),
    path("c/<slug:name>/flags/pair/<int:pair_id>/bring-back", flags.bring_back, name="pair-bring-back"),
    path("c/<slug:name>/work/", work.queries, name="work"),
    path("c/<slug:name>/work/<int:query_id>/", work.query, name="work-query"),
    path("c/<slug:name>/work/<int:query_id>/change", work.change, name="work-change"),
    path("c/<slug:name>/replay/", replay.replay, name="replay"),
    path("c/<slug:name>/computed/<slug:what>/anew", computed.refresh, name="computed-refresh"),
    path("c/<slug:name>/time/", time.time, name="time"),
    path("c/<slug:name>/time/csv", time.time_csv, name="time-csv"),
    path("c/<slug:name>/time/correct", time.correct, name="time-correct"),
]
