"""The terminal and the programs around it: clipboard, pager, browser, notifications, crashes."""
