"""Second factors in a real browser: a passkey made, used alone and removed, an app beside it, on a phone's screen."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.axe import found_by_axe
from tests.e2e.conftest import PASSWORD
from tests.foundation.accounts.test_second_factor import code_of

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

KEY = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def test_a_passkey_and_an_app(browser: Any, site: str, log_in: Any, enter: Callable[[Any, str], None]) -> None:
    elsewhere = log_in("bo")
    elsewhere.goto(f"{site}/account/second-factor/")
    here = site.replace("127.0.0.1", "localhost")
    assert f"Passkeys of this site work at {here} alone." in elsewhere.inner_text("main")
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = context.new_page()
    device = context.new_cdp_session(page)
    device.send("WebAuthn.enable")
    number = device.send("WebAuthn.addVirtualAuthenticator", {"options": KEY})["authenticatorId"]
    page.goto(f"{here}/login/?next=/account/second-factor/")
    page.click("text=Log in with a passkey")
    page.wait_for_selector("text=No passkey was chosen in time")
    enter(page, "bo")
    page.focus("form[data-passkey] [name=name]")
    page.keyboard.type("Paper phone")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Your second factor is on")
    assert page.locator(".recovery li").count() == 10
    kept = device.send("WebAuthn.getCredentials", {"authenticatorId": number})["credentials"]
    assert [(one["rpId"], one["isResidentCredential"]) for one in kept] == [("localhost", True)]
    page.click("text=I have kept them")
    page.goto(f"{here}/account/second-factor/")
    assert "Paper phone" in page.inner_text(".passkeys") and page.evaluate("document.body.scrollWidth") <= 360
    assert found_by_axe(page).response["violations"] == []
    page.click("form[data-passkey] button")
    page.wait_for_selector("text=This device has a passkey for your account already.")
    page.click("summary:has-text('Set up an app')")
    secret = page.locator("code.key").first.text_content().replace(" ", "")
    page.fill("[name=code]", code_of(secret))
    page.fill(".steps-of-factor [name=password]", PASSWORD)
    page.click("text=Set it up")
    page.wait_for_selector("text=Turn it off")

    page.goto(f"{here}/account/")
    page.click("text=Log out here")
    page.goto(f"{here}/login/?next=/account/second-factor/")
    page.focus("form[data-passkey] button")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url.endswith("/account/second-factor/"))
    assert "Last used" in page.inner_text(".passkeys")

    context.clear_cookies()
    page.goto(f"{here}/login/?next=/account/second-factor/")
    page.fill("[name=username]", "bo")
    page.fill("[name=password]", PASSWORD)
    page.press("[name=password]", "Enter")
    page.wait_for_selector("text=Use a passkey")
    assert found_by_axe(page).response["violations"] == []
    page.fill("[name=code]", code_of(secret, steps=1))
    page.press("[name=code]", "Enter")
    page.wait_for_selector(".passkeys")
    page.click(".passkeys summary")
    page.click(".passkeys [value=remove]")
    page.wait_for_selector("text=The passkey is removed")
    assert not page.locator(".passkeys").count() and page.is_visible("text=Turn it off")
    context.clear_cookies()
    page.goto(f"{here}/login/")
    page.click("text=Log in with a passkey")
    page.wait_for_selector("text=belongs to no account here, or was removed")
    assert re.search(r"/login/passkey/$", page.url)
    context.close()
