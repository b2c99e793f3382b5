"""A certificate's files."""

from typing import Any

from django.http import Http404, HttpResponse, JsonResponse

from datasets.certificates.jobs import newest_done
from datasets.certificates.selectors import as_file
from datasets.models import Certificate, Release
from evaluation.pooling.certificate_figure import certificate_figure
from foundation.access.pages import FactsEncoder


def done_or_404(release: Release) -> Certificate:
    """The release's newest certificate that is computed. Raises: Http404."""
    done = newest_done(release)
    if done is None:
        raise Http404("no certificate yet")
    return done


def certificate_json(certificate: Certificate, results: dict[str, Any]) -> HttpResponse:
    """The certificate as a file."""
    answer = JsonResponse(as_file(certificate, results), encoder=FactsEncoder, json_dumps_params={"indent": 1})
    answer["Content-Disposition"] = f'attachment; filename="{_name(certificate)}.json"'
    return answer


def certificate_svg(certificate: Certificate, results: dict[str, Any], split: str) -> HttpResponse:
    """A split's figure as a file. Raises: Http404."""
    if split not in results:
        raise Http404("no certificate of this split")
    answer = HttpResponse(certificate_figure(results[split]), content_type="image/svg+xml; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{_name(certificate)}-{split}.svg"'
    return answer


def _name(certificate: Certificate) -> str:
    release = certificate.release
    return f"{release.collection.name}-{release.name}-certificate"
