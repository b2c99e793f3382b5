"""Addresses of qualification: invitations, guideline, training, exam, admission."""

from django.urls import path

from annotation.qualification import applicant_views, exam_views, guideline_views, invitation_views, training_views
from annotation.qualification import views as qualification
from foundation.access.study_pages import not_of_studies

urlpatterns = [
    path("join/<str:token>/", invitation_views.join, name="join"),
    path("c/<slug:name>/judge/guideline", guideline_views.for_drawer, name="judge-guideline"),
    path("c/<slug:name>/judge/guideline/confirm", guideline_views.confirm, name="judge-guideline-confirm"),
    path("c/<slug:name>/guideline/", guideline_views.page, name="guideline"),
    path("c/<slug:name>/guideline/<int:version>/", guideline_views.page, name="guideline-version"),
    path("c/<slug:name>/guideline/confirm", guideline_views.confirm_page, name="guideline-confirm"),
    path("c/<slug:name>/practice/next", training_views.next_, name="practice-next"),
    path("c/<slug:name>/practice/grade", training_views.grade, name="practice-grade"),
    path("c/<slug:name>/exam/next", exam_views.next_, name="exam-next"),
    path("c/<slug:name>/exam/grade", exam_views.grade, name="exam-grade"),
    path("c/<slug:name>/exam/undo", exam_views.undo, name="exam-undo"),
    path("c/<slug:name>/exam/again/next", exam_views.again_next, name="again-next"),
    path("c/<slug:name>/exam/again/grade", exam_views.again_grade, name="again-grade"),
    path("account/erase/", qualification.erase_account_page, name="erase-account"),
    *not_of_studies(
        path("c/<slug:name>/invitations/", invitation_views.invitations, name="invitations"),
        path(
            "c/<slug:name>/invitations/<int:invitation_id>/withdraw",
            invitation_views.withdraw,
            name="invitation-withdraw",
        ),
        path("c/<slug:name>/guideline/edit/", guideline_views.edit, name="guideline-edit"),
        path("c/<slug:name>/qualification/", qualification.page, name="qualification"),
        path("c/<slug:name>/training/", training_views.page, name="training"),
        path("c/<slug:name>/practice/", training_views.practice, name="practice"),
        path("c/<slug:name>/exam/begin", exam_views.begin, name="exam-begin"),
        path("c/<slug:name>/exam/", exam_views.page, name="exam"),
        path("c/<slug:name>/exam/hand-in", exam_views.finish, name="exam-hand-in"),
        path("c/<slug:name>/exam/feedback/", exam_views.feedback, name="exam-feedback"),
        path("c/<slug:name>/exam/again/", exam_views.again, name="again"),
        path("c/<slug:name>/applicants/", applicant_views.page, name="applicants"),
        path("c/<slug:name>/applicants/<int:member_id>/decide", applicant_views.decide, name="applicant-decide"),
        path("c/<slug:name>/applicants/exam", applicant_views.move_exam, name="exam-move"),
        path("c/<slug:name>/applicants/exam/close/", applicant_views.close, name="exam-close"),
        path("c/<slug:name>/prepare/", applicant_views.prepare, name="prepare"),
        path("c/<slug:name>/prepare/draw", applicant_views.draw, name="prepare-draw"),
        path("c/<slug:name>/prepare/<int:item_id>/explain", applicant_views.explain, name="prepare-explain"),
        path(
            "c/<slug:name>/prepare/exam/<int:item_id>/explain",
            applicant_views.explain_exam,
            name="prepare-explain-exam",
        ),
    ),
]
