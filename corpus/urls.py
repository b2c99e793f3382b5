from django.contrib.auth import views as auth
from django.urls import path, re_path

from corpus.views import browse, media, pages

urlpatterns = [
    path("", pages.home, name="home"),
    path(
        "login/",
        auth.LoginView.as_view(template_name="corpus/login.html", redirect_authenticated_user=True),
        name="login",
    ),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    re_path(r"^clips/(?P<public_name>[A-Za-z0-9_-]{1,32})\.(?P<suffix>mp4|jpg|gif)$", media.clip, name="clip"),
    re_path(r"^clips/context/(?P<public_name>[A-Za-z0-9_-]{1,32})\.mp4$", media.context, name="clip-context"),
    path("c/<slug:name>/videos/", browse.videos, name="videos"),
    path("c/<slug:name>/videos.csv", browse.videos_csv, name="videos-csv"),
    path("c/<slug:name>/videos/<int:video_id>/", browse.video, name="video"),
]
