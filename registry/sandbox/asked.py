"""Which fields the services send only under a condition: `asked.json`, by service, type of record and field.

``expand``        `expand[]` names it (payments); everything else that can be expanded is an id otherwise
``include NAME``  `include[]` names that part (incidents)
``own``           the profile is the caller's own (incidents)
``set``           it has a value (CRM); what has none is left out there, but for lists

All other fields of a record are always there, with null where they may be null. Not simulated, and so never there: the next
duty of a schedule's user (`include_next_oncall_for_user`), and secrets that only the response to a creation has.
"""

import json
from collections.abc import Mapping
from pathlib import Path

CONDITIONS: Mapping[str, Mapping[str, Mapping[str, str]]] = json.loads(
    Path(__file__).with_name("asked.json").read_text("utf-8")
)
