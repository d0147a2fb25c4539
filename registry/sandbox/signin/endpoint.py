"""The token endpoint: codes and refresh tokens in, tokens out (RFC 6749, section 3.2; RFC 7636, section 4.5)."""

from __future__ import annotations

import hashlib
import hmac
import re

from registry.sandbox.signin.errors import SignInError, invalid_client, invalid_grant, invalid_request
from registry.sandbox.signin.parameters import Parameters
from registry.sandbox.signin.profiles import OAuthClient, Profile
from registry.sandbox.signin.responses import ACCOUNT_SCOPE, Given, Record, TokenResponses
from registry.sandbox.signin.scopes import of_application
from registry.sandbox.signin.signer import base64url
from registry.sandbox.signin.tokens import Code, TokenStore

_VERIFIER = re.compile(r"[A-Za-z0-9\-._~]{43,128}")


class TokenEndpoint:
    """One service's token endpoint. Safe to use from several threads."""

    def __init__(self, profile: Profile, tokens: TokenStore, responses: TokenResponses) -> None:
        self._profile = profile
        self._tokens = tokens
        self._responses = responses

    def give(self, base: str, form: Parameters) -> Record:
        """The response to a request for tokens. `base` is the sandbox's own address without a final slash.

        Raises:
            SignInError: what is wrong with it.
        """
        client = self.client(form)
        match form.need("grant_type"):
            case "authorization_code":
                given = self._by_code(form, client)
            case "refresh_token":
                given = self._by_refresh_token(form, client)
            case "client_credentials" if client.acts_alone:
                given = self._for_itself(form, client)
            case "client_credentials" if any(one.acts_alone for one in self._profile.clients.values()):
                raise SignInError("unauthorized_client", "This application gets no tokens of its own.")
            case _:
                raise SignInError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.")
        return self._responses.tokens(base, given, self._tokens.now)

    def client(self, form: Parameters) -> OAuthClient:
        """The application that sent a form; one with a secret must send it, one without must not send any.

        Raises:
            SignInError: invalid_client, it is not known, or its secret is wrong.
        """
        id_, secret = form.get("client_id"), form.get("client_secret")
        if id_ is None:
            raise invalid_client("client_id is missing. It belongs in the body, as the secret does.")
        client = self._profile.clients.get(id_)
        if client is None:
            raise invalid_client("No application is registered by this client_id.")
        if client.secret is None:
            if secret is not None:
                raise invalid_client("This application is public and has no secret. Send none.")
        elif secret is None:
            raise invalid_client("client_secret is missing. This application must send its secret in the body.")
        elif not hmac.compare_digest(secret.encode(errors="surrogateescape"), client.secret.encode()):
            raise invalid_client("client_secret is wrong.")
        return client

    def _by_code(self, form: Parameters, client: OAuthClient) -> Given:
        text, redirect_uri, verifier = form.need("code"), form.need("redirect_uri"), form.get("code_verifier")
        if verifier is not None and not _VERIFIER.fullmatch(verifier):
            raise invalid_request("code_verifier must be 43 to 128 letters, digits or any of - . _ ~")
        code = self._tokens.use_code(text, client)
        if redirect_uri != code.redirect_uri:
            raise invalid_grant("redirect_uri is not the one that the code was sent to.")
        _prove(code, verifier)
        access = self._tokens.access_token(code.grant, code.grant.scopes)
        return Given(access, self._tokens.refresh_token(code.grant), signed_in=True)

    def _by_refresh_token(self, form: Parameters, client: OAuthClient) -> Given:
        text, scope = form.need("refresh_token"), form.get("scope")
        token, scopes = self._tokens.use_refresh_token(text, client, scope)
        access = self._tokens.access_token(token.grant, scopes)
        refresh = self._tokens.refresh_token(token.grant) if self._profile.rotates else token
        return Given(access, refresh, signed_in=False)

    def _for_itself(self, form: Parameters, client: OAuthClient) -> Given:
        scopes = of_application(client, ACCOUNT_SCOPE, form.get("scope"))
        grant = self._tokens.grant(self._profile, client, None, scopes)
        return Given(self._tokens.access_token(grant, scopes), None, signed_in=False)


def _prove(code: Code, verifier: str | None) -> None:
    """Check that the client that sends the code is the one that requested it (PKCE).

    Raises:
        SignInError: invalid_grant, the verifier does not match the challenge, is missing, or was sent without a challenge.
    """
    if code.challenge is None:
        if verifier is not None:
            raise invalid_grant("code_verifier was sent, but the code was asked for without code_challenge.")
        return
    if verifier is None:
        raise invalid_grant("code_verifier is missing. The code was asked for with code_challenge.")
    if not hmac.compare_digest(base64url(hashlib.sha256(verifier.encode()).digest()), code.challenge):
        raise invalid_grant("code_verifier does not belong to the code_challenge.")
