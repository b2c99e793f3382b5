from django.urls import path

from queries import views

urlpatterns = [
    path("c/<slug:name>/captions/", views.captions, name="captions"),
    path("c/<slug:name>/captions/queue", views.caption_queue, name="caption-queue"),
    path("c/<slug:name>/captions/<int:caption_id>/decide", views.decide, name="caption-decide"),
]
