from django.urls import path

from queries.views import captions, pool, rewriting

urlpatterns = [
    path("c/<slug:name>/rewriting/", rewriting.rewriting, name="rewriting"),
    path("c/<slug:name>/rewriting/captions/", rewriting.caption_list, name="caption-list"),
    path("c/<slug:name>/captions/", captions.captions, name="captions"),
    path("c/<slug:name>/captions/card", captions.caption_card, name="caption-card"),
    path("c/<slug:name>/captions/queue", captions.caption_queue, name="caption-queue"),
    path("c/<slug:name>/captions/checked", captions.caption_checked, name="caption-checked"),
    path("c/<slug:name>/captions/undo", captions.undo, name="caption-undo"),
    path("c/<slug:name>/captions/<int:caption_id>/check", captions.caption_check, name="caption-check"),
    path("c/<slug:name>/captions/<int:caption_id>/decide", captions.decide, name="caption-decide"),
    path("c/<slug:name>/pool/", pool.pool, name="pool"),
    path("c/<slug:name>/pool/fetch", pool.fetch, name="pool-fetch"),
    path("c/<slug:name>/pool/<int:job_id>/progress", pool.progress, name="pool-progress"),
]
