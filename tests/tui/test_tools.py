"""The left pane and the ask line at the top: tree, results, detail."""

from textual.widgets import Static

from registry.journal.entries import KnownObject
from tests.shipped import COUNT
from tests.tui.app import Desk, desk
from tui.explorer.tool_pane import AskLine
from tui.explorer.toolkit_tree import ToolkitTree


def lines(one: Desk) -> list[str]:
    tree = one.screen.query_one(ToolkitTree)
    return ["".join(part.text for part in tree.draw(line, 60)).rstrip() for line in range(tree.line_count)]


def name_of(tree: ToolkitTree) -> str | None:
    return tree.tool.name if tree.tool is not None else None


def detail(one: Desk) -> str:
    return str(one.screen.query_one("#detail", Static).render())


async def test_the_tree_by_keyboard_and_the_ask_line() -> None:
    async with desk() as one:
        shown = [line.split() for line in lines(one)]
        assert shown[0] == ["■", "Payments", "220", "▾"]
        assert ["Customers", "28", "▸"] in shown
        assert ["▲", "Incidents", "14", "▾"] in shown
        assert ["●", "CRM", "users", "7", "▾"] in shown
        groups = [int(line[-2]) for line in shown if line and line[-1] == "▸"]
        assert sum(groups) == COUNT

        tree = one.screen.query_one(ToolkitTree)
        await one.press("f2", "down", "right")
        assert lines(one)[2:4] == ["      search", "      get"]
        assert "    × delete" in lines(one)
        assert "    Payment methods" in lines(one), "the heading of another resource"
        await one.press("right")
        assert tree.cursor == 2
        assert name_of(tree) == "SearchPaymentsCustomers"
        await one.press("left")
        assert tree.cursor == 1
        await one.press("left")
        assert "      search" not in lines(one)
        await one.press("left")
        assert tree.cursor == 0
        await one.press("space")
        assert [line.split()[1] for line in lines(one) if line][:2] == ["Payments", "Incidents"]
        await one.press("G")
        assert tree.cursor == tree.line_count - 1
        await one.press("g", "j", "j", "k")
        assert tree.cursor == 2, "past the empty line above a toolkit"

        await one.type("cust cards")
        await one.until(lambda: "GetCustomerCards" in lines(one)[0])
        await one.press("ctrl+f")
        await one.type("GetCustomerCards")
        await one.until(lambda: "GetCustomerCards" in lines(one)[0])
        await one.until(lambda: "List a customer's cards." in detail(one))
        assert "× Delete" not in "\n".join(lines(one)), "what deletes is no answer to words that ask for none"
        assert "deprecated" in detail(one)
        await one.press("down", "up", "enter")
        await one.until(lambda: one.screen.form.tool is not None)
        assert one.tool == "GetCustomerCards"

        for words, sign, name in (
            ("create crm user", "+", "Users · create"),
            ("remove crm user", "×", "User · delete"),
            ("RetrieveCrmUserById", " ", "User · get"),
        ):
            await one.press("ctrl+f")
            await one.type(words)
            await until_listed(one, f"{sign} {name}")
        await one.press("ctrl+f")
        await one.type("users named dana")
        await one.until(lambda: "named dana" in lines(one)[0])
        await one.press("down")
        at, row = tree.cursor, tree.at_cursor
        for known in ([], [KnownObject("user", f"P{place}", "Dana", "ListUsers", {}) for place in range(3)]):
            tree.show_known(known)
            assert (tree.cursor, tree.at_cursor) == (at, row), "rows that come later leave the one at the cursor where it is"
        await one.press("ctrl+f")
        await one.type("xyzzy")  # a word that nobody knows is looked for as a name
        await one.until(lambda: "Customers named xyzzy" in lines(one)[0])
        await one.until(lambda: 'name~"xyzzy"' in detail(one))
        await one.press("escape")
        tree, line = one.screen.query_one(ToolkitTree), one.screen.query_one(AskLine)
        await one.until(lambda: tree.found is None)
        assert (line.value, one.app.focused) == ("", line)
        await one.type("download quote")
        await one.until(lambda: "DownloadQuotePdf" in lines(one)[0])
        await one.press("escape")
        await one.until(lambda: tree.found is None)
        assert name_of(tree) == "DownloadQuotePdf", "the tool that was found is in sight after the search"
        await one.open("ListTeams")
        await one.until(lambda: name_of(tree) == "ListTeams")


async def until_listed(one: Desk, text: str) -> None:
    await one.until(lambda: text in "\n".join(lines(one)), text)


async def test_the_mouse_folds_and_opens_and_what_is_found_has_the_whole_width() -> None:
    async with desk() as one:
        tree = one.screen.query_one(ToolkitTree)
        await one.pilot.click(tree, offset=(8, 1))
        assert lines(one)[2] == "      search"
        await one.pilot.click(tree, offset=(12, 2))
        await one.until(lambda: one.screen.form.tool is not None)
        assert one.tool == "SearchPaymentsCustomers"
        await one.press("ctrl+f")

        await one.type("past due")
        await one.until(lambda: lines(one)[0].startswith(" › ■   Subscriptions that"))
        assert one.screen.query_one("#tools").size.width > one.app.size.width - 4
        assert len(lines(one)) == 8
        assert lines(one)[-1].endswith(" more"), "seven, and the rest behind a line"
        await one.until(lambda: 'status:"past_due"' in detail(one))
        assert "GET /payments/v1/subscriptions/search?query=status" in detail(one), "what Enter sends is in sight"
        await one.press("enter")
        await one.until(lambda: (result := one.screen.result.result) is not None and result.ok)
        assert one.screen.form.raw == {"search_query_string": 'status:"past_due"', "expand_fields": ["data.customer"]}
        assert one.screen.query_one("#tools").size.width < 60, "the panes are back"
        await one.press("ctrl+f")
        await one.type("invite a colleague")
        await one.until(lambda: "Invite a CRM user" in lines(one)[0])
        await one.press("enter")
        await one.until(lambda: one.tool == "CreateCrmUser")
        here = one.screen.trail.here
        assert here is not None
        assert (here.tool, here.was_run) == ("CreateCrmUser", False), "a change is filled in and never run"
