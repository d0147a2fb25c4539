"""One call, start to finish: arguments, request, response, result. Every door goes through here."""
