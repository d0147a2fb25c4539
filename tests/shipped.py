"""How many tools ship. `tests/catalog/test_catalogue.py` checks which."""

from registry.catalog.folders import SHIPPED
from registry.catalog.listing import table_of_contents

COUNT = len(table_of_contents(SHIPPED))
