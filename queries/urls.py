from django.urls import path

from queries.views import captions

urlpatterns = [
    path("c/<slug:name>/captions/", captions.captions, name="captions"),
    path("c/<slug:name>/captions/queue", captions.caption_queue, name="caption-queue"),
    path("c/<slug:name>/captions/<int:caption_id>/decide", captions.decide, name="caption-decide"),
]
