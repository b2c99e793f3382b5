"""Who wants no mail about alerts is kept with everybody's choice of mails."""

from typing import Any

from django.db import migrations


def carry_over(apps: Any, schema_editor: Any) -> None:
    """Each owner's choice, as a refusal of that kind of mail."""
    refusals = apps.get_model("corpus", "MailRefusal")
    accounts = apps.get_model("operation", "NoAlertMail").objects.values_list("account_id", flat=True)
    refusals.objects.bulk_create(
        (refusals(account_id=account, kind="alerts") for account in accounts), ignore_conflicts=True
    )


def carry_back(apps: Any, schema_editor: Any) -> None:
    """The same for the earlier version."""
    old = apps.get_model("operation", "NoAlertMail")
    accounts = (
        apps.get_model("corpus", "MailRefusal").objects.filter(kind="alerts").values_list("account_id", flat=True)
    )
    old.objects.bulk_create((old(account_id=account) for account in accounts), ignore_conflicts=True)


class Migration(migrations.Migration):
    atomic = False  # the rows first, which may be carried over twice; then the table goes
    dependencies = [("corpus", "0026_mails"), ("operation", "0001_first")]

    operations = [
        migrations.RunPython(carry_over, carry_back),
        migrations.DeleteModel(name="NoAlertMail"),
    ]
