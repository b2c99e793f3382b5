"""Addresses of judging, flags and notices."""

from django.urls import path

from annotation.judging import evidence_study_views, evidence_views, flag_views, notice_views, views

urlpatterns = [
    path("c/<slug:name>/judge/", views.page, name="judge"),
    path("c/<slug:name>/judge/next", views.next_, name="judge-next"),
    path("c/<slug:name>/judge/grade", views.grade, name="judge-grade"),
    path("c/<slug:name>/judge/undo", views.undo, name="judge-undo"),
    path("c/<slug:name>/judge/flag", views.flag, name="judge-flag"),
    path("c/<slug:name>/judge/alive", views.alive, name="judge-alive"),
    path("c/<slug:name>/judge/leave", views.leave, name="judge-leave"),
    path("c/<slug:name>/judge/progress", views.progress, name="judge-progress"),
    path("c/<slug:name>/judge/context/<str:pair>", evidence_views.context, name="judge-context"),
    path("c/<slug:name>/judge/earlier", evidence_views.earlier, name="judge-earlier"),
    path("c/<slug:name>/judge/answers/<int:flag_id>/read", flag_views.read, name="judge-answer-read"),
    path("c/<slug:name>/judge/answers/notice-<int:notice_id>/read", notice_views.notice_read, name="notice-read"),
    path(
        "c/<slug:name>/judge/answers/question-<int:question_id>/read", notice_views.question_read, name="question-read"
    ),
    path("c/<slug:name>/people/evidence/", evidence_study_views.page, name="evidence-use"),
    path("c/<slug:name>/people/evidence.<str:ending>", evidence_study_views.file, name="evidence-use-file"),
    path("c/<slug:name>/flags/", flag_views.flags, name="flags"),
    path("c/<slug:name>/flags/<int:flag_id>/answer", flag_views.answer, name="flag-answer"),
    path("c/<slug:name>/flags/pair/<int:pair_id>/bring-back", flag_views.bring_back, name="pair-bring-back"),
    path("c/<slug:name>/flags/pair/<int:pair_id>/withdraw", flag_views.withdraw, name="pair-withdraw"),
    path("c/<slug:name>/flags/cut-again", flag_views.cut_again, name="clips-cut-again"),
    path("c/<slug:name>/notices/", notice_views.notices, name="notices"),
    path("c/<slug:name>/notices/post", notice_views.post, name="notice-post"),
    path("c/<slug:name>/notices/<int:notice_id>/withdraw", notice_views.withdraw, name="notice-withdraw"),
    path("c/<slug:name>/notices/questions/<int:question_id>/answer", notice_views.answer, name="question-answer"),
    path("service-worker.js", views.service_worker, name="service-worker"),
]
