"""Addresses of the tryout, which are of no collection: it shows whichever offers one."""

from django.urls import path

from annotation.tryout import views

urlpatterns = [
    path("try/", views.page, name="try"),
    path("try/next", views.next_, name="try-next"),
    path("try/grade", views.grade, name="try-grade"),
    path("try/undo", views.undo, name="try-undo"),
    path("try/again", views.again, name="try-again"),
    path("try/result/", views.result, name="try-result"),
]
