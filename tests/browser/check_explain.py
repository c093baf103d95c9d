"""check_explain.py FOLDER: opens the explain pages that make_pages wrote there, and tests them.

With --pictures it also saves screenshots in the folder, for inspection.
"""
import pathlib
import sys

from browser import Browser, Checks

SECTIONS = ("sentence", "tokens", "steps", "attention", "positions", "neighbours", "beam")
BARS = "return [...document.querySelectorAll('.bars .bar i')].map((bar) => parseFloat(bar.style.width))"


def slide(browser, name, value):
    browser.run("const s = document.getElementById('slider-' + arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('input'))",
                name, value)


def check_parts(browser, checks, page):
    checks.opens_clean(browser, page)
    for section in SECTIONS:
        checks.that(browser.run("return document.getElementById(arguments[0]).offsetHeight > 30", section), f"{section} is shown")
    checks.equal(browser.run("return document.querySelectorAll('#tokens .token').length"), 24, "every token is shown")
    checks.equal(browser.run("return document.documentElement.scrollWidth <= window.innerWidth"), True, "nothing overflows horizontally")
    lessons = browser.run("return [...document.querySelectorAll('section:not(#sentence)')].every((s) => s.querySelector('.lesson'))")
    checks.that(lessons, "every part is explained")


def check_steps(browser, checks, page):
    checks.opens_clean(browser, page)
    first = browser.run(BARS)
    checks.that(abs(sum(first) - 100) < 0.5, f"the probabilities of a step add up to one ({sum(first)})")
    slide(browser, "temperature", 0.1)
    cold = browser.run(BARS)
    checks.that(max(cold) > max(first), "a low temperature sharpens the distribution")
    slide(browser, "temperature", 2)
    hot = browser.run(BARS)
    checks.that(max(hot) < max(first), "a high temperature flattens the distribution")
    checks.that(abs(sum(hot) - 100) < 0.5, "the probabilities at a high temperature add up to one")
    slide(browser, "topK", 3)
    checks.equal(sum(width > 0 for width in browser.run(BARS)), 3, "top-k 3 leaves three tokens")
    checks.that(abs(sum(browser.run(BARS)) - 100) < 0.5, "the probabilities of the three tokens add up to one")
    slide(browser, "topK", 0)
    slide(browser, "temperature", 1)
    slide(browser, "topP", 0.05)
    checks.equal(sum(width > 0 for width in browser.run(BARS)), 1, "a tiny top-p leaves the best token")
    browser.run("document.querySelector('button.token').focus()")
    browser.key("\ue014")
    checks.equal(browser.run("return [...document.querySelectorAll('button.token')].findIndex((b) => b.getAttribute('aria-pressed') === 'true')"), 1,
                 "an arrow key goes to the next step")


def check_attention(browser, checks, page):
    checks.opens_clean(browser, page)
    checks.equal(browser.run("return document.querySelectorAll('.heads button').length"), 15, "every head and every layer's mean has a picture")
    checks.equal(browser.run("return document.querySelectorAll('.cell').length"), 144, "the heat map has a square for every pair")
    before = browser.run("return document.querySelector('.view h3').textContent")
    browser.click(".heads button")
    checks.that(browser.run("return document.querySelector('.view h3').textContent") != before, "choosing a head shows it in full")
    box = browser.box(".cell")
    browser.pointer(("move", box["x"] + 5, box["y"] + 5))
    checks.that("%" in (browser.tooltip() or ""), "pointing at a square shows its weight")
    box = browser.box(".lines .word")
    browser.pointer(("move", box["x"] + 5, box["y"] + 8))
    checks.that(browser.run("return document.querySelectorAll('.lines .dim').length") > 0, "pointing at a word dims the lines of the others")
    shares = browser.run("return [...document.querySelectorAll('.lines .small')].map((t) => parseFloat(t.textContent)).filter(isFinite)")
    checks.that(abs(sum(shares) - 100) < 2, f"the weights of a word add up to one ({sum(shares)})")
    browser.click("[data-kind=decoder]")
    future = browser.run("return [...document.querySelectorAll('.cell')].filter((c, i) => i % 12 > Math.floor(i / 12)).map((c) => c.getAttribute('fill'))")
    checks.equal(len(set(future)), 1, "the decoder does not attend to later tokens")


def check_positions_and_beam(browser, checks, page):
    checks.opens_clean(browser, page)
    colors = browser.run("const c = document.querySelector('.waves canvas'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
                         "const s = new Set(); for (let i = 0; i < d.length; i += 4) s.add(d[i] * 65536 + d[i + 1] * 256 + d[i + 2]); return s.size")
    checks.that(colors > 50, "the positional encoding is drawn")
    checks.equal(browser.run("return document.querySelectorAll('.beam g').length"), 48, "every hypothesis is in the tree")
    checks.equal(browser.run("return document.querySelectorAll('.beam .edge.best').length"), 12, "the best one can be followed from its start")
    checks.equal(browser.run("return document.querySelectorAll('.neighbours tr').length"), 11, "every token has a row of neighbours")
    checks.that("0.90" in browser.run("return document.querySelector('.neighbours td').textContent"), "a neighbour has its cosine")
    box = browser.box(".beam g.best:last-of-type, .beam g.best")
    browser.pointer(("move", box["x"] + 10, box["y"] + 10))
    checks.that("score" in (browser.tooltip() or ""), "pointing at a hypothesis shows its score")


def check_themes(browser, checks, page):
    seen = []
    for scheme in ("light", "dark"):
        browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        checks.opens_clean(browser, page)
        seen.append(browser.run("return [getComputedStyle(document.body).backgroundColor, [...document.querySelectorAll('.cell')].at(-1).getAttribute('fill')]"))
    checks.that(seen[0][0] != seen[1][0], "the page follows the system's light or dark theme")
    checks.that(seen[0][1] != seen[1][1], "the heat maps follow the theme")
    browser.click("#theme")
    after = browser.run("return [...document.querySelectorAll('.cell')].at(-1).getAttribute('fill')")
    checks.equal(after, seen[0][1], "the button repaints the heat maps")
    browser.devtools("Emulation.setEmulatedMedia", features=[])


def check_hostile(browser, checks, page):
    checks.opens_clean(browser, page)
    checks.that(browser.run("return window.broken === undefined && document.querySelectorAll('img').length === 0"), "no token is executed")
    checks.that(browser.run("return document.getElementById('sentence').textContent.includes(\"onerror='window.broken\")"), "hostile text is shown unchanged")


def check_text(browser, checks, page):
    """A language model: a prompt and its continuation, without encoder and beam."""
    checks.opens_clean(browser, page)
    checks.that(browser.run("return document.getElementById('sentence').textContent.startsWith('prompt')"), "the prompt is labelled")
    checks.equal(browser.run("return document.querySelectorAll('#tokens .token').length"), 9, "every token is shown")
    checks.that("4 tokens in, 5 out" in browser.run("return document.getElementById('tokens').textContent"), "the tokens are counted")
    for section in ("positions", "beam"):
        checks.that(browser.run("return document.getElementById(arguments[0]).offsetHeight === 0", section), f"{section} is hidden")
    checks.equal(browser.run("return [...document.querySelectorAll('.tabs button')].map((b) => b.textContent).join()"), "Self-attention",
                 "there is one kind of attention")
    checks.that(abs(sum(browser.run(BARS)) - 100) < 0.5, "the probabilities of a step add up to one")
    checks.equal(browser.run("return document.documentElement.scrollWidth <= window.innerWidth"), True, "nothing overflows horizontally")


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    checks = Checks()
    with Browser() as browser:
        for check in (check_parts, check_steps, check_attention, check_positions_and_beam, check_themes):
            check(browser, checks, folder / "explain.html")
        check_text(browser, checks, folder / "explain-text.html")
        checks.opens_clean(browser, folder / "explain-empty.html")
        check_hostile(browser, checks, folder / "explain-hostile.html")
        if "--pictures" in sys.argv:
            for name, fragment in (("explain", ""), ("explain", "theme=dark"), ("explain-hostile", "")):
                browser.open(folder / f"{name}.html", fragment)
                browser.picture(folder / f"{name}{'-dark' if fragment else ''}.png")
    checks.finish()


main()
