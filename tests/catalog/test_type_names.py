"""What a toolkit puts in front of its types is declared in its own data, and left out where people read the type."""

from __future__ import annotations

from registry.catalog.checking_services import checked_service
from registry.catalog.folders import built_in
from registry.catalog.loader import services
from registry.catalog.problems import CatalogProblem
from registry.catalog.reading import read_file
from registry.catalog.type_names import bare_type, full_types


def test_a_prefix_is_left_out_and_put_in_front() -> None:
    declared = {name: service.type_prefix for name, service in services(built_in()).items() if service.type_prefix}
    assert list(declared.values()) == ["crm_"]
    assert [bare_type(one) for one in ("crm_user", "user", "billing.crm_user")] == ["user", "user", "billing.crm_user"]
    assert full_types("user") == ["user", "crm_user"]


def test_a_prefix_is_letters_and_an_underscore() -> None:
    folder = next(one for one in built_in().folders if "crm" in one.path.name)
    content = read_file(folder.path / "service.json")
    assert isinstance(content, dict)
    for wrong in ("c", "_", "crm", "CRM_", "crm-"):
        problems: list[CatalogProblem] = []
        entry = {name: value for name, value in content.items() if name != "$schema"}
        assert checked_service(entry | {"type_prefix": wrong}, "service.json", problems) is None
        assert [one.field for one in problems] == ["type_prefix"]
