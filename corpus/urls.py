from django.contrib.auth import views as auth
from django.urls import path, re_path

from corpus.views import account, browse, collections, imports, media, pages, tokens

urlpatterns = [
    path("", pages.home, name="home"),
    path(
        "login/",
        pages.Login.as_view(template_name="corpus/login.html", redirect_authenticated_user=True),
        name="login",
    ),
    path("account/", account.account, name="account"),
    path("account/erased/", account.erased, name="erased"),
    path("collections/new/", collections.new, name="collection-new"),
    path("tokens/", tokens.tokens, name="tokens"),
    path("tokens/<int:token_id>/revoke", tokens.revoke, name="token-revoke"),
    path("c/<slug:name>/members/", collections.members, name="members"),
    path("c/<slug:name>/members/<int:member_id>/change", collections.change_member, name="member-change"),
    path("c/<slug:name>/archive", collections.archive, name="archive"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    re_path(r"^clips/(?P<public_name>[A-Za-z0-9_-]{1,32})\.(?P<suffix>mp4|jpg|gif)$", media.clip, name="clip"),
    re_path(r"^clips/context/(?P<public_name>[A-Za-z0-9_-]{1,32})\.mp4$", media.context, name="clip-context"),
    path("c/<slug:name>/videos/", browse.videos, name="videos"),
    path("c/<slug:name>/videos.csv", browse.videos_csv, name="videos-csv"),
    path("c/<slug:name>/videos/<int:video_id>/", browse.video, name="video"),
    path("c/<slug:name>/imports/", imports.imports, name="imports"),
    path("c/<slug:name>/imports/upload", imports.upload, name="import-upload"),
    path("c/<slug:name>/imports/<int:import_id>/", imports.report, name="import-report"),
    path("c/<slug:name>/imports/<int:import_id>/progress", imports.progress, name="import-progress"),
    path("c/<slug:name>/imports/<int:import_id>/rejected", imports.rejected, name="import-rejected"),
    path("c/<slug:name>/imports/<int:import_id>/again", imports.again, name="import-again"),
]
