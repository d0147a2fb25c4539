"""How many tools ship. What they are, `tests/catalog/test_catalogue.py` says."""

from registry.catalog.folders import built_in
from registry.catalog.listing import table_of_contents

COUNT = len(table_of_contents(built_in()))
