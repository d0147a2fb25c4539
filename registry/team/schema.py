"""The tables of a team's server, as SQL: rows can be added and read, but not changed or removed.

The server itself records who adds a row and when (``login``, ``received``): people's roles may only insert the other columns.
"""

from __future__ import annotations

AUDIT = "callboard_audit"
CONSENT = "callboard_consent"
CONSENT_COLUMNS = ("request", "step", "event", "person", "machine", "chain", "digest", "lasts", "content")
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

CREATE TABLE IF NOT EXISTS {CONSENT} (
    request text NOT NULL CHECK (length(request) BETWEEN 1 AND 40),
    step text NOT NULL,
    event text NOT NULL,
    person text NOT NULL,
    machine text NOT NULL,
    chain text NOT NULL,
    digest text NOT NULL,
    lasts integer NOT NULL CHECK (lasts BETWEEN 1 AND 3600),
    content text NOT NULL CHECK (length(content) <= 100000),
    login text NOT NULL DEFAULT session_user,
    received timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (request, step),
    CHECK ((step, event) IN (('asked', 'asked'), ('answered', 'approved'), ('answered', 'refused'),
        ('ended', 'used'), ('ended', 'withdrawn')))
);
CREATE OR REPLACE FUNCTION callboard_consent_rules() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    asked {CONSENT}%ROWTYPE;
    answered {CONSENT}%ROWTYPE;
BEGIN
    IF NEW.step = 'asked' THEN
        RETURN NEW;
    END IF;
    SELECT * INTO asked FROM {CONSENT} WHERE request = NEW.request AND step = 'asked';
    SELECT * INTO answered FROM {CONSENT} WHERE request = NEW.request AND step = 'answered';
    IF asked.request IS NULL THEN
        RAISE EXCEPTION 'there is no request %', NEW.request USING ERRCODE = 'CB001';
    ELSIF EXISTS (SELECT FROM {CONSENT} WHERE request = NEW.request AND step = 'ended') THEN
        RAISE EXCEPTION 'it was used or withdrawn already' USING ERRCODE = 'CB001';
    ELSIF NEW.event <> 'withdrawn' AND clock_timestamp() > asked.received + make_interval(secs => asked.lasts) THEN
        RAISE EXCEPTION 'it has expired' USING ERRCODE = 'CB001';
    ELSIF NEW.step = 'answered' AND answered.request IS NOT NULL THEN
        RAISE EXCEPTION 'it was answered already' USING ERRCODE = 'CB001';
    ELSIF NEW.event = 'approved' AND (NEW.login = asked.login OR NEW.chain = asked.chain
            OR lower(btrim(NEW.person)) = lower(btrim(asked.person))) THEN
        RAISE EXCEPTION 'another person has to approve it, with a database login of their own' USING ERRCODE = 'CB001';
    ELSIF NEW.step = 'ended' AND (NEW.chain <> asked.chain OR NEW.login <> asked.login) THEN
        RAISE EXCEPTION 'it is the request of somebody else' USING ERRCODE = 'CB001';
    ELSIF NEW.event = 'used' AND answered.event IS DISTINCT FROM 'approved' THEN
        RAISE EXCEPTION 'nobody has approved it' USING ERRCODE = 'CB001';
    ELSIF NEW.event = 'used' AND NEW.digest <> asked.digest THEN
        RAISE EXCEPTION 'the call or its object has changed since it was approved' USING ERRCODE = 'CB001';
    END IF;
    RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER {CONSENT}_rules BEFORE INSERT ON {CONSENT}
    FOR EACH ROW EXECUTE FUNCTION callboard_consent_rules();
CREATE OR REPLACE TRIGGER {CONSENT}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {CONSENT}
    FOR EACH STATEMENT EXECUTE FUNCTION callboard_append_only();
"""


def grants(role: str) -> str:
    """The grants of a role: to add rows and to read them."""
    name = '"' + role.replace('"', '""') + '"'
    return "".join(
        f"REVOKE ALL ON {table} FROM {name};\n"
        f"GRANT SELECT ON {table} TO {name};\n"
        f"GRANT INSERT ({', '.join(columns)}) ON {table} TO {name};\n"
        for table, columns in ((AUDIT, AUDIT_COLUMNS), (CONSENT, CONSENT_COLUMNS))
    )


def script(role: str = "") -> str:
    """The whole script, for a role that may create tables."""
    return TABLES + (grants(role) if role else "")
