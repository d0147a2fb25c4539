"""The pages of a toolkit's objects that exists only here: from its own pages.json, and where that says nothing."""

from registry.pages.loading import PageLoad
from registry.pages.page import ObjectPage
from registry.pages.subjects import subjects_of
from tests.tickets.world import World


async def page_of(world: World, id_: str, type_: str = "") -> ObjectPage:
    engine = world.engine
    return await PageLoad(engine.reading(engine.usual), engine.catalog, engine.routes).load(
        subjects_of(id_, engine.routes, type_=type_)
    )


async def test_a_page_that_it_declares(world: World) -> None:
    number = next(iter([one for one in await world.all_of("ListIssues") if one["state"] == "open"]))["id"]
    comments = await world.all_of("ListComments", issue_id=number)
    page = await page_of(world, number, "issue")
    section = next(one for one in page.sections if one.id == "comments")
    assert page.failure is None
    assert (section.state, section.count) == ("complete", len(comments))
    assert page.headline == f"Issue {page.title} is open: {len(comments)} comments"
    assert [row.link.id if row.link else "" for row in section.rows] == [one["id"] for one in comments]


async def test_a_page_made_from_the_catalogue(world: World) -> None:
    page = await page_of(world, "usr_p00001")
    assert (page.subject.type, page.headline) == ("user", "User Person 1")
    label = await page_of(world, "label-7", "label")
    assert (label.subject.tool, label.failure) == ("ListLabels", None)
    gone = await page_of(world, "usr_p99999")
    assert gone.failure is not None
    assert "There is no such user." in gone.failure.cause
