"""Pages as rows to choose from."""

import json

from registry.results.choosing import Candidates


def test_rows_come_page_after_page_each_id_once() -> None:
    found = Candidates(lambda item: isinstance(item, dict) and item.get("object") != "source", {})
    people = [{"id": f"cus_{place}", "object": "customer", "name": f"N {place}", "email": None} for place in range(3)]
    found.add(json.dumps({"data": [*people[:2], {"id": "src_1", "object": "source"}]}).encode())
    found.add(json.dumps({"data": people[1:]}).encode())
    found.add(b'[1, {}, {"id": 7, "name": "\\u001b[31mred"}]')
    found.add(b"not JSON")
    assert found.titles == ("name",)
    assert [(row.id, row.cells) for row in found.rows] == [
        ("cus_0", ("N 0",)),
        ("cus_1", ("N 1",)),
        ("cus_2", ("N 2",)),
        ("7", ("\\u001b[31mred",)),
    ]
    half = Candidates(lambda item: True, {})
    some = {"phone": "1", "city": "Bern"}
    half.add(
        json.dumps(
            {"data": [person | (some if place < 1 else {"city": "Rom"}) for place, person in enumerate(people)]}
        ).encode()
    )
    assert half.titles == ("name", "city"), "the phone is there in a third of them"
    assert found.rows[2].texts == ("N 2", "cus_2")
