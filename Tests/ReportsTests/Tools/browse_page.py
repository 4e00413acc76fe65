#!/usr/bin/env python3
"""browse_page.py BROWSER PAGE FOLDER WORDS: opens a page in Chromium, searches it, and prints as JSON what
they see; pictures and what is printed go into FOLDER."""

import json
import sys

import axe_core_python.sync_playwright
from playwright.sync_api import sync_playwright

browser_path, page_path, folder, words = sys.argv[1:]
address = f"file://{page_path}"
rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


class Reader:
    """A browser's window on the page; what it asks for and what it complains about is kept."""

    def __init__(self, browser, **options):
        # The rules are put into the page by the debugger, which the page's own policy would refuse.
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.requests, self.complaints = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(address)

    def violations(self):
        options = {"runOnly": {"type": "tag", "values": rules}}
        axe = axe_core_python.sync_playwright.Axe()
        found = axe.run(self.page, options=options)["violations"]
        return [f"{v['id']}: {node['html'][:200]}" for v in found for node in v["nodes"]]

    def picture(self, name):
        self.page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def rows(page):
    return page.eval_on_selector_all(
        ".loans tbody tr:not([hidden]) > [scope=row]",
        "cells => cells.filter(c => c.offsetParent).map(c => c.firstChild.textContent)",
    )


result = {}
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
    for scheme in ("light", "dark"):
        reader = Reader(browser, color_scheme=scheme, viewport={"width": 1280, "height": 900})
        reader.picture(scheme)
        result[scheme] = reader.violations()
        result["background-" + scheme] = reader.page.evaluate(
            "getComputedStyle(document.body).backgroundColor"
        )
    narrow = Reader(browser, viewport={"width": 400, "height": 800})
    narrow.picture("narrow")
    result["narrow"] = narrow.violations()
    result["overflow"] = narrow.page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    result["small targets"] = narrow.page.eval_on_selector_all(
        "a, button, input, summary",
        "all => all.filter(e => e.offsetParent && e.getBoundingClientRect().height < 24)"
        ".map(e => e.outerHTML)",
    )

    reader = Reader(browser, viewport={"width": 1280, "height": 900})
    page = reader.page
    result["rows"] = rows(page)
    if page.query_selector("input"):
        page.fill("input", words)
        result["found"], result["said"] = rows(page), page.inner_text("output")
        reader.picture("found")
        page.fill("input", "")
        for order in ("ascending", "descending"):
            page.click("th button >> nth=1")
            result[order] = rows(page)
            result["sorted " + order] = page.get_attribute("th[aria-sort]", "aria-sort")
    page.emulate_media(media="print")
    result["printed search"] = page.is_visible("[role=search]") if result["rows"] else False
    page.pdf(path=f"{folder}/page.pdf", prefer_css_page_size=True)
    result["requests"], result["complaints"] = reader.requests, reader.complaints

    plain = Reader(browser, java_script_enabled=False)
    result["without script"] = plain.page.inner_text("body")
    browser.close()
json.dump(result, sys.stdout)
