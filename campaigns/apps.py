from django.apps import AppConfig


class CampaignsConfig(AppConfig):
    name = "campaigns"

    def ready(self) -> None:
        from campaigns import losses, mailed, told
        from campaigns.portal.places import register_places
        from campaigns.topics.freeze import topics_given
        from corpus.deletion import hooks
        from corpus.infra import sweep
        from corpus.models.jobs import ENDED
        from queries.pooling import redraw_hooks

        mailed.register_mails()
        register_places()
        ENDED.append(told.hear)
        sweep.register(mailed.tell_of_deadlines)
        hooks.register(losses=losses.campaigns_lost)
        redraw_hooks.register(topics_given)
