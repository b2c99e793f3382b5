"""Addresses of becoming an annotator: invitations, the guideline, training, the exam, and the lead's side of them."""

from django.urls import path

from annotation.views import candidates, exam, guideline, invitations, qualification, training

urlpatterns = [
    path("join/<str:token>/", invitations.join, name="join"),
    path("c/<slug:name>/invitations/", invitations.invitations, name="invitations"),
    path("c/<slug:name>/invitations/<int:invitation_id>/withdraw", invitations.withdraw, name="invitation-withdraw"),
    path("c/<slug:name>/judge/guideline", guideline.for_drawer, name="judge-guideline"),
    path("c/<slug:name>/judge/guideline/confirm", guideline.confirm, name="judge-guideline-confirm"),
    path("c/<slug:name>/guideline/", guideline.page, name="guideline"),
    path("c/<slug:name>/guideline/<int:version>/", guideline.page, name="guideline-version"),
    path("c/<slug:name>/guideline/edit/", guideline.edit, name="guideline-edit"),
    path("c/<slug:name>/guideline/confirm", guideline.confirm_page, name="guideline-confirm"),
    path("c/<slug:name>/qualification/", qualification.page, name="qualification"),
    path("c/<slug:name>/training/", training.page, name="training"),
    path("c/<slug:name>/practice/", training.practice, name="practice"),
    path("c/<slug:name>/practice/next", training.next_, name="practice-next"),
    path("c/<slug:name>/practice/grade", training.grade, name="practice-grade"),
    path("c/<slug:name>/exam/begin", exam.begin, name="exam-begin"),
    path("c/<slug:name>/exam/", exam.page, name="exam"),
    path("c/<slug:name>/exam/next", exam.next_, name="exam-next"),
    path("c/<slug:name>/exam/grade", exam.grade, name="exam-grade"),
    path("c/<slug:name>/exam/undo", exam.undo, name="exam-undo"),
    path("c/<slug:name>/exam/hand-in", exam.finish, name="exam-hand-in"),
    path("c/<slug:name>/exam/feedback/", exam.feedback, name="exam-feedback"),
    path("c/<slug:name>/exam/again/", exam.again, name="again"),
    path("c/<slug:name>/exam/again/next", exam.again_next, name="again-next"),
    path("c/<slug:name>/exam/again/grade", exam.again_grade, name="again-grade"),
    path("c/<slug:name>/candidates/", candidates.page, name="candidates"),
    path("c/<slug:name>/candidates/results", candidates.as_json, name="candidate-results"),
    path("c/<slug:name>/candidates/<int:member_id>/decide", candidates.decide, name="candidate-decide"),
    path("c/<slug:name>/candidates/exam", candidates.move_exam, name="exam-move"),
    path("c/<slug:name>/candidates/exam/close/", candidates.close, name="exam-close"),
    path("c/<slug:name>/prepare/", candidates.prepare, name="prepare"),
    path("c/<slug:name>/prepare/draw", candidates.draw, name="prepare-draw"),
    path("c/<slug:name>/prepare/<int:item_id>/explain", candidates.explain, name="prepare-explain"),
    path("c/<slug:name>/prepare/exam/<int:item_id>/explain", candidates.explain_exam, name="prepare-explain-exam"),
    path("account/erase/", qualification.erase_account_page, name="erase-account"),
    path("c/<slug:name>/me/", qualification.self_page, name="erase-self"),
    path("c/<slug:name>/me/erase", qualification.erase_self, name="erase-self-now"),
]
