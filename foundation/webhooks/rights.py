"""Who may have a webhook: leads one of their collection, owners of the site one of all that happens on it."""

from foundation.models import Membership, Webhook


def may_have(webhook: Webhook) -> bool:
    """Whether who made it, or started it last, still leads its collection, or owns the site."""
    account = webhook.made_by
    if account is None or not account.is_active:
        return False
    if webhook.collection_id is None:
        return account.owns_site
    lead = [Membership.Role.OWNER, Membership.Role.LEAD]
    return Membership.objects.filter(account=account, collection=webhook.collection_id, role__in=lead).exists()
