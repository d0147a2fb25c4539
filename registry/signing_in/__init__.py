"""Signing in with a browser, and refreshing tokens: OAuth 2.0 (RFC 6749, 6750, 7009, 7636, 8252, 9207) over httpx.

service data → `AuthorizationServer` + `OAuthClient` → the page in the browser → a code on this machine → `Tokens` → a store →
`AccessToken`, which is the credential of an endpoint and is refreshed while the program runs

The entry points:

- `server.authorization_server(service, base_url)`: where people sign in to a service; None if they cannot.
- `server.OAuthClient(id, secret)`: the client that the user registered at the service.
- `sign_in.sign_in(server, client, probe=…, show=…, paste=…)` → `Tokens`, or a `problems.SignInFailed`, with a class for each
  failure. `permissions.ReducedScope` holds tokens with fewer scopes than requested. `browser.open_in_browser` is a `show`;
  with `paste` no port is opened, and the user pastes the address that the browser was sent to.
- `tokens.Tokens.as_json()` and `Tokens.from_json(text)`: what a store keeps. `tokens.TokenStore` is the interface of a store.
- `refreshing.Refresher(server, client, store)`: returns valid tokens; one process at a time refreshes them.
- `refreshing.AccessToken(refresher, identity)`: a `Secret` for `Endpoint.credential` and `Endpoint.known`.
- `refreshing.sign_out(server, client, tokens)`: revokes the tokens at the service, if it can.
- `permissions.lacking(tools, granted, sign_in)`: the tools without permission, each with the scopes of which it needs one.

This room knows no account, no screen and no service's name: what differs between services is declared in `SignIn`.
Tokens, codes and client secrets are `Secret`; they travel in the body of a POST to the declared address, which no redirect
changes.
"""
