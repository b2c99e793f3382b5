from django.urls import path

from datasets.views import boards, differences, publications, releases, statistics

urlpatterns = [
    path("c/<slug:name>/statistics/", statistics.statistics, name="statistics"),
    path("c/<slug:name>/releases/", releases.releases, name="releases"),
    path("c/<slug:name>/releases/make", releases.make, name="release-make"),
    path("c/<slug:name>/releases/jobs/<int:job_id>/progress", releases.progress, name="release-progress"),
    path("c/<slug:name>/releases/jobs/<int:job_id>/again", releases.again, name="release-again"),
    path("c/<slug:name>/releases/shared/", releases.shared, name="shared-releases"),
    path("c/<slug:name>/releases/<int:release_id>/", releases.release, name="release"),
    path("c/<slug:name>/releases/<int:release_id>/share", releases.share, name="release-share"),
    path("c/<slug:name>/releases/<int:release_id>/archive", releases.archive, name="release-archive"),
    path("c/<slug:name>/releases/<int:release_id>/files/<path:path>", releases.file, name="release-file"),
    path("c/<slug:name>/releases/<int:release_id>/publish/", publications.publish, name="publish"),
    path("c/<slug:name>/releases/<int:release_id>/publish/look", publications.look, name="publish-look"),
    path("c/<slug:name>/publications/<int:publication_id>/", publications.publication, name="publication"),
    path(
        "c/<slug:name>/publications/<int:publication_id>/progress", publications.progress, name="publication-progress"
    ),
    path("c/<slug:name>/publications/<int:publication_id>/send", publications.send, name="publication-send"),
    path("c/<slug:name>/publications/<int:publication_id>/stop", publications.stop, name="publication-stop"),
    path("c/<slug:name>/publications/<int:publication_id>/again", publications.again, name="publication-again"),
    path(
        "c/<slug:name>/releases/<int:first_id>/to/<int:second_id>/", differences.differences, name="release-differences"
    ),
    path(
        "c/<slug:name>/releases/<int:first_id>/to/<int:second_id>/csv",
        differences.differences_csv,
        name="release-differences-csv",
    ),
    path("c/<slug:name>/releases/<int:release_id>/board/<slug:split>/", boards.board, name="board"),
    path("c/<slug:name>/releases/<int:release_id>/board/<slug:split>/upload", boards.upload, name="run-upload"),
    path("c/<slug:name>/runs/<int:run_id>/", boards.run, name="run"),
    path("c/<slug:name>/runs/<int:run_id>/progress", boards.progress, name="run-progress"),
    path("c/<slug:name>/runs/<int:run_id>/again", boards.again, name="run-again"),
    path("c/<slug:name>/runs/<int:run_id>/withdraw", boards.withdraw, name="run-withdraw"),
    path("c/<slug:name>/runs/<int:run_id>/file", boards.run_file, name="run-file"),
    path("c/<slug:name>/runs/<int:run_id>/queries/<int:answer_id>/", boards.query, name="run-query"),
]
