"""check_explain.py FOLDER [--pictures]: tests the explain pages that make_pages wrote to the folder.

The numbers in the checks are those of made_up_explanation.cpp. With --pictures, also saves screenshots in the
folder, for inspection.
"""
import pathlib
import sys

from browser import Browser, Checks

SECTIONS = ("sentence", "tokens", "steps", "attention", "positions", "neighbours", "beam")
BARS = "return [...document.querySelectorAll('.bars .bar i')].map((bar) => parseFloat(bar.style.width))"


def check_sum(browser, checks, sentence):
    total = sum(browser.run(BARS))
    checks.that(abs(total - 100) < 0.5, f"{sentence} add up to 100% ({total})")


def slide(browser, name, value):
    browser.run("const s = document.getElementById('slider-' + arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('input'))",
                name, value)


def check_parts(browser, checks, page):
    checks.opens_clean(browser, page)
    for section in SECTIONS:
        checks.that(browser.run("return document.getElementById(arguments[0]).offsetHeight > 30", section), f"the section {section} is shown")
    checks.equal(browser.run("return document.querySelectorAll('#tokens .token').length"), 24, "every token of the sentence and its translation is shown")
    checks.equal(browser.run("return document.documentElement.scrollWidth <= window.innerWidth"), True, "the page is not wider than the window")
    lessons = browser.run("return [...document.querySelectorAll('section:not(#sentence)')].every((s) => s.querySelector('.lesson'))")
    checks.that(lessons, "every section after the sentence has an explanation")


def check_steps(browser, checks, page):
    checks.opens_clean(browser, page)
    first = browser.run(BARS)
    check_sum(browser, checks, "the probabilities of the first step")
    slide(browser, "temperature", 0.1)
    cold = browser.run(BARS)
    checks.that(max(cold) > max(first), "a low temperature sharpens the distribution")
    slide(browser, "temperature", 2)
    hot = browser.run(BARS)
    checks.that(max(hot) < max(first), "a high temperature flattens the distribution")
    check_sum(browser, checks, "the probabilities at a high temperature")
    slide(browser, "topK", 3)
    checks.equal(sum(width > 0 for width in browser.run(BARS)), 3, "with top-k 3, three tokens have a probability")
    check_sum(browser, checks, "the probabilities with top-k 3")
    slide(browser, "topK", 0)
    slide(browser, "temperature", 1)
    slide(browser, "topP", 0.05)
    checks.equal(sum(width > 0 for width in browser.run(BARS)), 1, "with top-p 0.05, one token has a probability")
    browser.run("document.querySelector('button.token').focus()")
    browser.key("\ue014")  # the right arrow key in WebDriver
    checks.equal(browser.run("return [...document.querySelectorAll('button.token')].findIndex((b) => b.getAttribute('aria-pressed') === 'true')"), 1,
                 "the right arrow key selects the second step")


def check_attention(browser, checks, page):
    checks.opens_clean(browser, page)
    checks.equal(browser.run("return document.querySelectorAll('.heads button').length"), 15, "there is a small picture for every head and for every layer's mean")
    checks.equal(browser.run("return document.querySelectorAll('.cell').length"), 144, "the heat map has a square for every pair of tokens")
    before = browser.run("return document.querySelector('.view h3').textContent")
    browser.click(".heads button")
    checks.that(browser.run("return document.querySelector('.view h3').textContent") != before, "a click on a head changes the heading of the large heat map")
    box = browser.box(".cell")
    browser.pointer(("move", box["x"] + 5, box["y"] + 5))
    checks.that("%" in (browser.tooltip() or ""), "the tooltip of a square shows its weight")
    box = browser.box(".lines .word")
    browser.pointer(("move", box["x"] + 5, box["y"] + 8))
    checks.that(browser.run("return document.querySelectorAll('.lines .dim').length") > 0, "pointing at a word dims the lines of the other words")
    shares = browser.run("return [...document.querySelectorAll('.lines .small')].map((t) => parseFloat(t.textContent)).filter(isFinite)")
    checks.that(abs(sum(shares) - 100) < 2, f"the weights of a word add up to about 100% ({sum(shares)})")  # printed rounded
    browser.click("[data-kind=decoder]")
    future = browser.run("return [...document.querySelectorAll('.cell')].filter((c, i) => i % 12 > Math.floor(i / 12)).map((c) => c.getAttribute('fill'))")
    checks.equal(len(set(future)), 1, "the squares of later tokens in the decoder all have the same color")


def check_positions_and_beam(browser, checks, page):
    checks.opens_clean(browser, page)
    colors = browser.run("const c = document.querySelector('.waves canvas'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
                         "const s = new Set(); for (let i = 0; i < d.length; i += 4) s.add(d[i] * 65536 + d[i + 1] * 256 + d[i + 2]); return s.size")
    checks.that(colors > 50, f"the positional encoding is drawn in many colors ({colors})")
    checks.equal(browser.run("return document.querySelectorAll('.beam g').length"), 48, "the beam's tree has every hypothesis")
    checks.equal(browser.run("return document.querySelectorAll('.beam .edge.best').length"), 12, "the edges of the best hypothesis are marked")
    checks.equal(browser.run("return document.querySelectorAll('.neighbours tr').length"), 11, "every token of the translation except </s> has a row of neighbours")
    checks.that("0.90" in browser.run("return document.querySelector('.neighbours td').textContent"), "a neighbour is shown with its cosine similarity")
    box = browser.box(".beam g.best")
    browser.pointer(("move", box["x"] + 10, box["y"] + 10))
    checks.that("score" in (browser.tooltip() or ""), "the tooltip of a hypothesis shows its score")


def check_themes(browser, checks, page):
    seen = []
    for scheme in ("light", "dark"):
        browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        checks.opens_clean(browser, page)
        seen.append(browser.run("return [getComputedStyle(document.body).backgroundColor, [...document.querySelectorAll('.cell')].at(-1).getAttribute('fill')]"))
    checks.that(seen[0][0] != seen[1][0], "the background follows the system's light or dark theme")
    checks.that(seen[0][1] != seen[1][1], "the colors of the heat maps differ between the light and the dark theme")
    browser.click("#theme")
    after = browser.run("return [...document.querySelectorAll('.cell')].at(-1).getAttribute('fill')")
    checks.equal(after, seen[0][1], "the theme button repaints the heat maps in light colors")
    browser.devtools("Emulation.setEmulatedMedia", features=[])


def check_hostile(browser, checks, page):
    checks.opens_clean(browser, page)
    checks.that(browser.run("return window.broken === undefined && document.querySelectorAll('img').length === 0"), "tokens that contain HTML are not executed")
    checks.that(browser.run("return document.getElementById('sentence').textContent.includes(\"onerror='window.broken\")"), "hostile text is shown unchanged")


def check_text(browser, checks, page):
    """Checks the page of a language model, which has no encoder and no beam."""
    checks.opens_clean(browser, page)
    checks.that(browser.run("return document.getElementById('sentence').textContent.startsWith('prompt')"), "the prompt is labelled")
    checks.equal(browser.run("return document.querySelectorAll('#tokens .token').length"), 9, "every token of the prompt and its continuation is shown")
    checks.that("4 tokens in, 5 out" in browser.run("return document.getElementById('tokens').textContent"), "the numbers of tokens of the prompt and the continuation are shown")
    for section in ("positions", "beam", "edits", "heads", "lens", "attribution", "patching"):
        checks.that(browser.run("return document.getElementById(arguments[0]).offsetHeight === 0", section), f"the section {section} is hidden for a language model")
    checks.equal(browser.run("return [...document.querySelectorAll('.tabs button')].map((b) => b.textContent).join()"), "Self-attention",
                 "a language model has only self-attention")
    check_sum(browser, checks, "the probabilities of a language model's first step")
    checks.equal(browser.run("return document.documentElement.scrollWidth <= window.innerWidth"), True, "the page is not wider than the window")


def check_inspection(browser, checks, page):
    """Checks the page of a language model with its inspection: 4 states, 9 tokens."""
    checks.opens_clean(browser, page)
    for section in ("edits", "heads", "lens", "attribution", "patching"):
        checks.that(browser.run("return document.getElementById(arguments[0]).offsetHeight > 30", section), f"the section {section} is shown")
    checks.equal(browser.run("return document.querySelectorAll('.lens tr').length"), 6, "the lens has a row for every state, the text and what was read")
    box = browser.box(".lens td.right")
    browser.pointer(("move", box["x"] + 5, box["y"] + 5))
    checks.that("70.0 %" in (browser.tooltip() or ""), "the tooltip of the lens shows the probabilities")
    checks.that("induction" in browser.run("return document.querySelectorAll('#heads button')[1].textContent"), "a head is named by its pattern")
    checks.that("induction" in browser.run("return document.querySelectorAll('#attention .heads button')[1].title"), "the picture of a head has the name too")
    browser.click("#heads button:nth-of-type(2)")
    checks.equal(browser.run("return [...document.querySelectorAll('#heads .bars .value:not(.head)')].map((v) => v.textContent)"), ["50.0 %", "25.0 %"],
                 "a click on a head shows the new output")
    checks.equal(browser.run("return [...document.querySelectorAll('#heads .bars .bar + .value + .value')].map((v) => v.textContent)"), ["5.0 %", "70.0 %"],
                 "the old output is beside it")
    checks.equal(browser.run("return document.querySelectorAll('#attribution .cell').length"), 45, "attribution has a square for every new token and every token")
    checks.equal(browser.run("return document.querySelectorAll('#patching .cell').length"), 20, "patching has a square for every state of every token of the prompt")
    box = browser.box("#patching .cell")
    browser.pointer(("move", box["x"] + 5, box["y"] + 5))
    checks.that("50.0 %" in (browser.tooltip() or ""), "the tooltip of patching shows the share of the way")
    checks.that("<b>other text" in browser.run("return document.getElementById('edits').textContent"), "the new continuation is shown as text")
    checks.equal(browser.run("return document.documentElement.scrollWidth <= window.innerWidth"), True, "the page is not wider than the window")
    before = browser.run("return document.querySelector('#patching .cell').getAttribute('fill')")
    browser.click("#theme")
    browser.click("#theme")
    checks.that(browser.run("return document.querySelector('#patching .cell').getAttribute('fill')") != before, "the dark theme repaints the heat maps")


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    checks = Checks()
    with Browser() as browser:
        for check in (check_parts, check_steps, check_attention, check_positions_and_beam, check_themes):
            check(browser, checks, folder / "explain.html")
        check_text(browser, checks, folder / "explain-text.html")
        check_inspection(browser, checks, folder / "explain-inspected.html")
        checks.opens_clean(browser, folder / "explain-empty.html")
        check_hostile(browser, checks, folder / "explain-hostile.html")
        if "--pictures" in sys.argv:
            for name, fragment in (("explain", ""), ("explain", "theme=dark"), ("explain-hostile", "")):
                browser.open(folder / f"{name}.html", fragment)
                browser.picture(folder / f"{name}{'-dark' if fragment else ''}.png")
    checks.finish()


main()
