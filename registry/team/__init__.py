"""A team's PostgreSQL database: the copies of all audit logs, and requests for a second person's consent.

Rows of the chains of audit logs (`registry.journal.chain`) flow in, one way; nothing here reads or writes the log itself,
makes a call, or knows an account of a service. The database is reached through psycopg, an extra that is imported when a server
is set and something goes there. `registry.engine.team_record` brings log and server together.
"""
