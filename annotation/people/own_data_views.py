"""One's own data as a download."""

from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotation.people.own_data import DOWNLOADS, own_data
from foundation.access.needs_login import account_of, login_required
from foundation.access.throttle import take


@require_GET
@login_required
def download(request: HttpRequest) -> HttpResponseBase:
    """Everything that is kept about the account, as a JSON file."""
    account = account_of(request)
    take(DOWNLOADS, str(account.pk), what=_("You have downloaded your data many times."))
    response = StreamingHttpResponse(own_data(account), content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="qreels-own-data.json"'
    response["Cache-Control"] = "no-store"
    return response
