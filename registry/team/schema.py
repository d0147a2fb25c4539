"""The tables of a team's server, as SQL: rows can be added and read, and nothing can be changed or removed.

Who adds a row is put down by the server itself (``login``, ``received``): the roles of people may insert the other columns
alone.
"""

from __future__ import annotations

AUDIT = "callboard_audit"
AUDIT_COLUMNS = ("chain", "sequence", "at", "person", "machine", "entry", "event", "previous", "content", "hash")

TABLES = f"""\
CREATE TABLE IF NOT EXISTS {AUDIT} (
    chain text NOT NULL,
    sequence bigint NOT NULL CHECK (sequence > 0),
    at double precision NOT NULL,
    person text NOT NULL,
    machine text NOT NULL,
    entry bigint NOT NULL,
    event text NOT NULL,
    previous text NOT NULL,
    content text NOT NULL,
    hash text NOT NULL,
    login text NOT NULL DEFAULT session_user,
    received timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (chain, sequence)
);
CREATE INDEX IF NOT EXISTS {AUDIT}_at ON {AUDIT} (at);
CREATE INDEX IF NOT EXISTS {AUDIT}_entry ON {AUDIT} (chain, entry);
CREATE OR REPLACE FUNCTION callboard_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% only grows: rows are neither changed nor removed', TG_TABLE_NAME;
END
$$;
CREATE OR REPLACE TRIGGER {AUDIT}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {AUDIT}
    FOR EACH STATEMENT EXECUTE FUNCTION callboard_append_only();
"""


def grants(role: str) -> str:
    """What a role may do: add rows and read them."""
    name = '"' + role.replace('"', '""') + '"'
    return (
        f"REVOKE ALL ON {AUDIT} FROM {name};\n"
        f"GRANT SELECT ON {AUDIT} TO {name};\n"
        f"GRANT INSERT ({', '.join(AUDIT_COLUMNS)}) ON {AUDIT} TO {name};\n"
    )


def script(role: str = "") -> str:
    """All of it, for whoever may make tables."""
    return TABLES + (grants(role) if role else "")
