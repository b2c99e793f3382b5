from django.urls import path

from annotation.views import judge, review

urlpatterns = [
    path("c/<slug:name>/judge/", judge.page, name="judge"),
    path("c/<slug:name>/judge/next", judge.next_, name="judge-next"),
    path("c/<slug:name>/judge/grade", judge.grade, name="judge-grade"),
    path("c/<slug:name>/judge/undo", judge.undo, name="judge-undo"),
    path("c/<slug:name>/judge/flag", judge.flag, name="judge-flag"),
    path("c/<slug:name>/judge/alive", judge.alive, name="judge-alive"),
    path("c/<slug:name>/judge/leave", judge.leave, name="judge-leave"),
    path("c/<slug:name>/judge/progress", judge.progress, name="judge-progress"),
    path("c/<slug:name>/review/", review.first, name="review"),
    path("c/<slug:name>/review/queue", review.queue, name="review-queue"),
    path("c/<slug:name>/review/<int:batch_id>/", review.sheet, name="review-batch"),
    path("c/<slug:name>/review/<int:batch_id>/decide", review.decide, name="review-decide"),
]
