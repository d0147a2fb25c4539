"""The two pages that a person sees: who asks for what, and why an application cannot be signed in to.

Plain HTML without scripts and without anything from elsewhere. Whatever came with the request is escaped, and what cannot be
seen in it is spelt out. The policy that goes with a page lets a browser load nothing, send the form to this page only, and
follow it to the application's address only; no other site may show the page inside its own.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from html import escape

from starlette.responses import HTMLResponse

from registry.sandbox.company import COMPANY, Person
from registry.sandbox.signin.profiles import OAuthClient, Profile

_STYLE = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 34rem; padding: 2rem 1rem; }
h1 { font-size: 1.3rem; line-height: 1.3; }
fieldset, ul { margin: 1rem 0; }
fieldset { border: 1px solid; border-radius: .4rem; }
label { display: block; padding: .2rem 0; }
code { overflow-wrap: anywhere; }
button { border: 1px solid; border-radius: .4rem; font: inherit; margin-right: .5rem; padding: .4rem 1.4rem; }
small { display: block; margin-top: 2rem; }
"""
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_LONGEST = 200
_ORIGIN = re.compile(r"https?://[^/?#]+")


def consent(
    profile: Profile, client: OAuthClient, scopes: Sequence[str], people: Sequence[Person], redirect_uri: str, ticket: str
) -> HTMLResponse:
    """The page that asks whether an application may have what it wants.

    Args:
        profile: the service.
        client: who asks.
        scopes: the scopes that it would get.
        people: who can sign in; the first one is chosen already.
        redirect_uri: where the answer goes; already checked.
        ticket: what proves that a form was sent from this page.
    """
    wanted = "".join(
        f"<li>{escape(client.scopes.get(scope, 'Know who signed in'))} <code>{escape(scope)}</code></li>" for scope in scopes
    )
    choices = "".join(
        f'<label><input type="radio" name="person" value="{escape(person.key)}"{" checked" if not place else ""}> '
        f"{escape(person.name)}, {escape(person.title)}</label>"
        for place, person in enumerate(people)
    )
    body = f"""<h1>{escape(client.name)} asks for access to {escape(profile.title)} of {escape(COMPANY)}</h1>
<form method="post">
<input type="hidden" name="ticket" value="{escape(ticket)}">
<p>It would be allowed to:</p>
<ul>{wanted}</ul>
<fieldset><legend>You are</legend>{choices}</fieldset>
<p>Your answer goes to <code>{escape(redirect_uri)}</code></p>
<p><button name="decision" value="allow">Allow</button><button name="decision" value="deny">Deny</button></p>
</form>
<small>This is the sandbox: nobody here is real, and no password is needed.</small>"""
    # Browsers apply the policy to the redirect after a form, too. It cannot name an IPv6 address: then it names the scheme.
    found = _ORIGIN.match(redirect_uri)
    origin = found[0] if found else ""
    return _page(f"Sign in to {profile.title}", body, 200, f"'self' {'http:' if '[' in origin else origin}")


def refusal(reason: str, *, about: str | None = None) -> HTMLResponse:
    """400: the page that says why nobody can sign in. `about` is what the request said that was wrong."""
    quoted = "" if about is None else f"<p>It was: <code>{escape(_visible(about))}</code></p>"
    body = f"<h1>This sign-in cannot go on</h1>\n<p>{escape(reason)}</p>{quoted}"
    return _page("Sign-in refused", body, 400, "'none'")


def _page(title: str, body: str, status: int, form_action: str) -> HTMLResponse:
    policy = (
        f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action {form_action}; "
        "frame-ancestors 'none'; base-uri 'none'"
    )
    text = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
{body}
</body>
</html>
"""
    headers = {
        "Content-Security-Policy": policy,
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }
    return HTMLResponse(text, status, headers)


def _visible(text: str) -> str:
    """A text from outside with what cannot be seen spelt out, cut to a length that can be read."""
    shown = text[:_LONGEST] + ("…" if len(text) > _LONGEST else "")
    return "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in shown)
