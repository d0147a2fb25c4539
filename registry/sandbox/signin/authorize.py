"""The authorize page: checks an application's request, and takes the person's answer.

Until it is certain which application asks and that its redirect address is allowed, nothing is redirected: the person sees the
error instead. From then on every response goes to that address, with the `state` of the request.

The pages are plain HTML without scripts and without anything from elsewhere. Whatever came with the request is escaped, and
what cannot be seen in it is spelt out. The policy that goes with a page lets a browser load nothing, send the form to this page
only, and follow it to the application's address only; no other site may show the page inside its own.
"""

import base64
import hashlib
import re
import secrets
from collections.abc import Mapping, Sequence
from html import escape
from urllib.parse import urlencode

from msgspec import Struct
from starlette.responses import HTMLResponse, Response

from registry.sandbox.signin.tokens import (
    CODEC,
    Grant,
    OAuthClient,
    Parameters,
    Profile,
    SignInError,
    TokenStore,
    granted,
)
from registry.sandbox.world import COMPANY, MINUTE, PEOPLE, Person

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


def refusal(reason: str, *, about: str = "") -> HTMLResponse:
    """400: the page that says why nobody can sign in. `about` is what the request said that was wrong.

    It is shown with what cannot be seen spelt out, and cut to a length that can be read.
    """
    shown = about[:_LONGEST] + ("…" if len(about) > _LONGEST else "")
    visible = "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in shown)
    quoted = f"<p>It was: <code>{escape(visible)}</code></p>" if about else ""
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


CHOICE = tuple(person for person in PEOPLE if person.key in ("sam.ode", "dana.wu", "zoe.martin"))

_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
_PATIENCE = 10 * MINUTE


class _Asked(Struct, frozen=True):
    """An application's request, checked. `until`: after this time (Unix seconds) the person's answer is too late."""

    client: OAuthClient
    redirect_uri: str
    state: str | None
    scopes: tuple[str, ...]
    challenge: str | None
    nonce: str | None
    until: int


class AuthorizePage:
    """One service's page: asks the person, and takes the answer. Both on the event loop.

    Args:
        profile: the service.
        tokens: issues the codes.
        besides: further parameters that the application gets with a code.
    """

    def __init__(self, profile: Profile, tokens: TokenStore, besides: Mapping[str, str]) -> None:
        self._profile, self._besides, self._tokens = profile, besides, tokens
        self._waiting: dict[str, _Asked] = {}

    def ask(self, query: bytes) -> Response:
        """The response to a request for the page: the page, a redirect with an error, or a page with an error."""
        try:
            parameters = Parameters(query)
            id_ = parameters.need("client_id")
            client = self._profile.clients.get(id_)
            if client is None:
                return refusal("No application is registered by this client_id.", about=id_)
            redirect_uri = parameters.need("redirect_uri")
            if not client.allows(redirect_uri):
                where = "a registered address" if client.secret else "an address of this machine (http://127.0.0.1, any port)"
                reason = f"{client.name} may not be answered at this redirect_uri. It takes {where}."
                return refusal(reason, about=redirect_uri)
            state = parameters.get("state")
        except SignInError as error:
            return refusal(str(error))
        try:
            asked = self._read(parameters, client, redirect_uri, state)
        except SignInError as error:
            return _back(redirect_uri, error.body, state)
        ticket = secrets.token_urlsafe(32)
        self._waiting[ticket] = asked
        return consent(self._profile, client, asked.scopes, CHOICE, redirect_uri, ticket)

    def answer(self, content: bytes) -> Response:
        """The response to the page's form: a redirect to the application. Each page takes one answer."""
        try:
            form = Parameters(content)
            ticket, decision, person = form.need("ticket"), form.need("decision"), form.need("person")
        except SignInError as error:
            return refusal(str(error))
        asked = self._waiting.pop(ticket, None)
        if asked is None or asked.until <= self._tokens.now:
            return refusal("This page was answered before, or has waited for too long. Start again from the application.")
        if decision == "deny":
            denied = SignInError("access_denied", "The resource owner or authorization server denied the request.")
            return _back(asked.redirect_uri, denied.body, asked.state)
        if decision != "allow" or person not in {one.key for one in CHOICE}:
            return refusal("This answer is not one that the page offers. Start again from the application.")
        grant = Grant(self._profile, asked.client, person, asked.scopes, self._tokens.now, asked.nonce)
        code = {"code": self._tokens.code(grant, asked.redirect_uri, asked.challenge)}
        return _back(asked.redirect_uri, {**code, **self._besides}, asked.state)

    def _read(self, parameters: Parameters, client: OAuthClient, redirect_uri: str, state: str | None) -> _Asked:
        kind = parameters.get("response_type") or self._profile.default_response_type
        if kind is None:
            raise SignInError("invalid_request", "response_type is missing.")
        if kind != "code":
            raise SignInError("unsupported_response_type", "response_type must be code.")
        scopes = granted(self._profile, client, parameters.get("scope"), parameters.get("optional_scope"))
        challenge, method = parameters.get("code_challenge"), parameters.get("code_challenge_method")
        if challenge is None:
            if client.needs_pkce:
                raise SignInError("invalid_request", "code_challenge is missing. This application must use PKCE with S256.")
            if method is not None:
                raise SignInError("invalid_request", "code_challenge_method was sent without code_challenge.")
        elif method != "S256":
            raise SignInError("invalid_request", "code_challenge_method must be S256.")
        elif not _CHALLENGE.fullmatch(challenge):
            raise SignInError("invalid_request", "code_challenge must be 43 characters of base64url.")
        until = self._tokens.now + _PATIENCE
        return _Asked(client, redirect_uri, state, scopes, challenge, parameters.get("nonce"), until)


def _back(address: str, parameters: dict[str, str], state: str | None) -> Response:
    """To the application. 303, so that a browser does not send the form on."""
    query = urlencode(parameters if state is None else {**parameters, "state": state}, errors=CODEC)
    location = f"{address}{'&' if '?' in address else '?'}{query}"
    return Response(None, 303, {"Location": location, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"})
