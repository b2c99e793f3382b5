from django.apps import AppConfig


class OperationConfig(AppConfig):
    name = "operation"

    def ready(self) -> None:
        from foundation.accounts import erasure_hooks
        from foundation.infra import worker_signs
        from operation.alerts import watch
        from operation.health.heartbeat import signs_of_life
        from operation.models import Erasure

        erasure_hooks.register(lambda account, member: Erasure.objects.create(account=account, member=member))
        worker_signs.register("heartbeat", signs_of_life)
        watch.register_mails()
