"""A team's PostgreSQL database: the copies of all audit logs, and requests for a second person's consent.

Rows of the chains of audit logs (`registry.journal.chain`) are sent here, in one direction; nothing here reads or writes the
log itself, makes a call, or knows an account of a service. The database is reached through psycopg, an extra that is imported
only if a server is set and something is sent. `registry.engine.team_record` connects log and server.
"""
