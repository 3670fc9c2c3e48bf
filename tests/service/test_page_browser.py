"""The page in a browser: taps, keys, late answers, small screens, contrast, no script."""

from __future__ import annotations

import shutil
import threading
import time
from urllib.parse import parse_qs, urlparse

import pytest
from werkzeug.serving import make_server

from service.app import create_app
from service.config import ServiceConfig

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright (extra e2e) is missing")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path"),
]

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SLOW_S = 1.0
PROBLEM = {"Content-Type": "application/problem+json"}

# Ratio of WCAG 2 between the colour of every text and what is painted behind it.
LOW_CONTRAST = """
() => {
  const light = (c) => {
    const [r, g, b] = c.match(/[\\d.]+/g).slice(0, 3).map((v) => {
      const x = Number(v) / 255;
      return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = getComputedStyle(e).backgroundColor;
      if (!/, 0\\)$/.test(c) && c !== "transparent") return c;
    }
    return "rgb(255, 255, 255)";
  };
  const low = [];
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.getClientRects().length || e.matches(".spoken, .skip")) continue;
    const [a, b] = [light(getComputedStyle(e).color), light(behind(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.push(`${e.tagName} ${e.textContent.trim().slice(0, 30)}: ${ratio}`);
  }
  return low;
}
"""


@pytest.fixture(scope="module")
def address():
    """Serve the application; a hand that ends in KC is answered late."""
    app = create_app(ServiceConfig(warm_up="blocking"))

    def slowly(environ, start_response):
        query = parse_qs(environ["QUERY_STRING"])
        if environ["PATH_INFO"] == "/answer" and query.get("hand", [""])[0].endswith("KC"):
            time.sleep(SLOW_S)
        return app(environ, start_response)

    server = make_server("127.0.0.1", 0, slowly, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    """Return a page on a phone; a message on its console fails the test."""
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = context.new_page()
    messages = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.messages = messages
    yield page
    context.close()
    assert not messages


def tap(page, *cards):
    for card in cards:
        page.click(f'#palette button[value="{card}"]')


def test_tapped_cards_are_answered_and_shared(page, address):
    page.goto(f"{address}/?rules=gin&choose=1")
    tap(page, "7S", "7H", "7D", "KS")
    page.wait_for_selector("#result .penalty strong:text-is('10')")
    assert page.input_value("#hand") == "7S 7H 7D KS"
    said = page.inner_text("#status")
    assert said.startswith("Penalty 10 (this game deals 10 cards")
    assert said.endswith("not 4): 1 meld, 1 card left over.")
    query = parse_qs(urlparse(page.url).query)
    assert query == {"rules": ["gin"], "hand": ["7S KS 7H 7D"]}
    page.reload()
    assert page.inner_text("#result .penalty strong") == "10"
    page.click("#undo")  # the last card of the link, 7D
    page.wait_for_selector("#result .penalty strong:text-is('24')")
    page.click("#clear")
    page.wait_for_selector("#result:has-text('Type a hand')")


def test_a_late_answer_never_replaces_a_newer_one(page, address):
    # Case C146. Without the abort the first request does come back, and must be thrown away.
    page.add_init_script("window.AbortController = class { abort() {} };")
    page.goto(f"{address}/?rules=gin&choose=1")
    with page.expect_response(lambda r: "KC" in r.url) as late:
        with page.expect_request(lambda r: "KC" in r.url):
            page.fill("#hand", "7S 7H 7D KC")
        page.fill("#hand", "7S 7H 7D 5S")
        page.wait_for_selector("#result .penalty strong:text-is('5')")
    late.value.finished()
    page.wait_for_timeout(200)
    assert page.inner_text("#result .penalty strong") == "5"
    assert "5S" in page.url


def test_another_game_changes_rounds_and_cards_and_keeps_the_hand(page, address):
    page.goto(f"{address}/?rules=gin&hand=7S+7H+7D")
    page.select_option("#rules", "five-crowns")
    page.wait_for_selector('#palette button[value="5*"]')
    assert page.input_value("#hand") == "7S 7H 7D"
    assert page.evaluate("document.activeElement.id") == "rules"
    page.select_option("#round", "5")
    page.wait_for_selector("#result .penalty strong:text-is('0')")
    assert "round=5" in page.url
    tap(page, "K*")
    page.wait_for_selector("#result .penalty strong:text-is('0')")


def test_house_rules_count(page, address):
    page.goto(f"{address}/?rules=three-thirteen&hand=QS+KS+AS")
    assert page.inner_text("#result .penalty strong") == "21"
    page.click("summary:has-text('House rules')")
    page.select_option("#o-ace", "both")
    page.wait_for_selector("#result .penalty strong:text-is('0')")


def test_faults_are_told_in_place(page, address):
    page.goto(f"{address}/?rules=gin&choose=1")
    page.fill("#hand", "7S ZZ")
    page.wait_for_selector(".faults:has-text('ZZ')")
    assert "ZZ" in page.inner_text("#status")
    page.messages[:] = [m for m in page.messages if "422" not in m]


def test_the_keyboard_is_enough(page, address):
    page.goto(f"{address}/?rules=gin&hand=7S+7H+7D+KS")
    page.focus('#hand-cards button[value="KS"]')
    page.keyboard.press("Enter")
    page.wait_for_selector("#result .penalty strong:text-is('0')")
    held = page.evaluate("document.activeElement.closest('#hand-cards') !== null")
    assert held, "expected the focus to stay in the hand"
    page.focus('#palette button[value="QS"]')
    page.keyboard.press("Space")
    page.wait_for_selector("#result .penalty strong:text-is('10')")
    page.focus("#hand")
    page.keyboard.press("Enter")
    page.wait_for_timeout(100)
    assert page.input_value("#hand").split()[-1] == "QS"


@pytest.mark.parametrize("width", [320, 360, 768, 1200])
@pytest.mark.parametrize("path", ["/?rules=rummikub&hand=R11+R12+R13+JK+K1&discard=true", "/docs"])
def test_nothing_is_wider_than_the_screen_and_all_is_readable(page, address, width, path):
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(address + path)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(LOW_CONTRAST) == []
    small = page.evaluate(
        "[...document.querySelectorAll('button:not(.spoken), select')]"
        ".filter(e => e.getClientRects().length)"
        ".filter(e => e.offsetWidth < 24 || e.offsetHeight < 24).map(e => e.outerHTML)"
    )
    assert small == []


def test_without_a_script(browser, address):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/?rules=gin")
    tap(page, "7S")
    tap(page, "7H")
    assert page.input_value("#hand") == "7S 7H"
    page.fill("#hand", "7S 7H 7D")
    page.press("#hand", "Enter")
    assert page.inner_text("#result .penalty strong") == "0"
    page.click('#hand-cards button[value="7D"]')
    assert page.inner_text("#result .penalty strong") == "14"
    page.select_option("#rules", "five-crowns")
    page.click("button:text-is('Choose')")
    assert page.input_value("#hand") == "7S 7H"
    assert page.is_visible('#palette button[value="5*"]')
    context.close()


def test_back_and_forward_and_reload_draw_what_the_address_says(page, address):
    page.goto(f"{address}/?rules=gin&hand=7S+7H+7D+KS")
    page.click("summary:has-text('My layout')")
    page.fill("#melds", "7S 7H 7D")
    page.check("input[name=discard]")
    page.check("input[name=all]")
    page.wait_for_selector("#result h3:has-text('Discards')")
    page.wait_for_selector("#result h3:has-text('Best layouts')")
    page.wait_for_selector("#result:has-text('as good as the best')")
    page.reload()
    assert page.input_value("#melds") == "7S 7H 7D"
    told = page.inner_text("#result")
    assert all(words in told for words in ("Discards", "Best layouts: 1", "as good as the best"))
    page.select_option("#rules", "five-crowns")
    page.wait_for_selector('#palette button[value="5*"]')
    page.go_back()
    page.wait_for_selector('#palette button[value="AS"]')
    assert page.input_value("#rules") == "gin"
    assert "Best layouts: 1" in page.inner_text("#result")
    page.go_forward()
    page.wait_for_selector('#palette button[value="5*"]')


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ((429, {**PROBLEM, "Retry-After": "7"}, '{"detail": "one more"}'), "in 7 seconds"),
        ((503, {"Content-Type": "text/html"}, "<b>nginx</b>"), "busy"),
        ((502, {"Content-Type": "text/html"}, "<b>nginx</b>"), "502"),
        ((401, PROBLEM, "{}"), "key"),
        ((200, {"Content-Type": "application/json"}, '{"x": 1}'), "No answer"),
        ((400, PROBLEM, '{"detail": "so"}'), "No answer: so"),
    ],
)
def test_what_is_no_page_is_told_in_words(page, address, reply, words):
    status, headers, body = reply
    page.goto(f"{address}/?rules=gin&hand=7S+7H+7D+KS")
    page.route(
        "**/answer?*", lambda route: route.fulfill(status=status, headers=headers, body=body)
    )
    tap(page, "QS")
    page.wait_for_selector("#answer .faults")
    told = page.inner_text("#answer")
    assert words in told == page.inner_text("#status")
    assert not any(mark in told for mark in ("{", "<", "nginx", "point"))
    page.unroute("**/answer?*")
    tap(page, "JS")
    page.wait_for_selector("#result .penalty strong")
    page.messages[:] = [m for m in page.messages if "Failed to load resource" not in m]


def test_without_a_connection_the_old_answer_goes(page, address):
    page.goto(f"{address}/?rules=gin&hand=7S+7H+7D+KS")
    page.route("**/answer?*", lambda route: route.abort())
    tap(page, "QS")
    page.wait_for_selector("#answer:has-text('No answer from the service')")
    assert "point" not in page.inner_text("#answer")
    page.messages[:] = [m for m in page.messages if "Failed to load resource" not in m]


def test_no_more_copies_are_tapped_than_the_deck_has(page, address):
    page.goto(f"{address}/?rules=gin&choose=1")
    tap(page, "7S", "7H")
    page.wait_for_selector("#result .penalty strong:text-is('14')")
    key = page.locator('#palette button[value="7S"]')
    assert key.get_attribute("aria-disabled") == "true"
    key.click(force=True)
    page.wait_for_timeout(100)
    assert page.input_value("#hand") == "7S 7H"
    page.fill("#hand", "\u2660" + "7")  # the same card in other words
    page.wait_for_selector("#result .penalty strong:text-is('7')")
    assert key.get_attribute("aria-disabled") == "true"
    page.click("#clear")
    page.wait_for_selector("#result:has-text('Type a hand')")
    assert key.get_attribute("aria-disabled") == "false"


def test_tiles_are_tapped_drawn_and_typed_alike(page, address):
    page.goto(f"{address}/?rules=rummikub")
    tap(page, "R11", "R12", "R13", "K1")
    page.wait_for_selector("#result .penalty strong:text-is('1')")
    assert page.input_value("#hand") == "R11 R12 R13 K1"
    drawn = [text.split()[0] for text in page.locator("#hand-cards button").all_inner_texts()]
    page.fill("#hand", " ".join(drawn))
    page.wait_for_timeout(300)
    assert page.inner_text("#result .penalty strong") == "1"
    page.click('#hand-cards button[value="K1"]')
    page.wait_for_selector("#result .penalty strong:text-is('0')")
    assert "hand=R11+R12+R13" in page.url
