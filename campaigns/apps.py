from django.apps import AppConfig


class CampaignsConfig(AppConfig):
    name = "campaigns"

    def ready(self) -> None:
        from campaigns import deletion_losses, mails, notifications
        from campaigns.portal.team_roles import register_roles
        from campaigns.topics.freeze import topics_given
        from foundation.deletion import hooks
        from foundation.models.jobs import ENDED
        from queries.pooling import redraw_hooks

        mails.register_mails()
        register_roles()
        ENDED.append(notifications.notify)
        hooks.register(hooks.Hooks(losses=deletion_losses.campaigns_lost))
        redraw_hooks.register(topics_given)
