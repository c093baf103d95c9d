"""check_report.py FOLDER: opens the report pages that make_pages wrote there, and tests them.

With --pictures it also saves screenshots in the folder, for inspection.
"""
import pathlib
import sys
import time

from browser import Browser, Checks

LINES = "return document.querySelectorAll('[data-panel=\"{}\"] path.line:not(.raw)').length"
PATHS = "return [...document.querySelectorAll('[data-panel=\"loss\"] path.line')].map((p) => p.getAttribute('d'))"


def check_one_run(browser, checks, page):
    checks.opens_clean(browser, page)
    for panel in ("loss", "ppl", "accuracy"):
        checks.equal(browser.run(LINES.format(panel)), 2, f"{panel} has a training and a validation curve")
    for panel in ("bleu", "chrf", "exact", "lr", "grad_norm", "tokens_per_s", "memory_mb"):
        checks.equal(browser.run(LINES.format(panel)), 1, f"{panel} has one curve")
    longest = max(len(d) for d in browser.run(PATHS))
    checks.that(longest > 1000, "the loss curve has its points")
    checks.that(browser.run("return document.querySelectorAll('.event').length > 0"), "events are marked")
    checks.that("NaN" not in "".join(browser.run(PATHS)), "no path holds NaN")
    checks.equal(browser.run("return document.documentElement.scrollWidth <= window.innerWidth"), True,
                 "nothing overflows horizontally")


def check_hover(browser, checks, page):
    checks.opens_clean(browser, page)
    box = browser.box('[data-panel="loss"] svg')
    browser.pointer(("move", box["x"] + box["width"] / 2, box["y"] + 40))
    text = browser.tooltip() or ""
    for word in ("step", "epoch", "training", "validation"):
        checks.that(word in text, f"hovering shows the {word} ({text!r})")
    crosses = browser.run("return [...document.querySelectorAll('.chart')].filter((c) => c.querySelector('.cross')).length")
    checks.equal(crosses, browser.run("return document.querySelectorAll('.chart').length"), "the cross-hair shows in every chart")
    browser.pointer(("move", 5, 5))
    checks.equal(browser.tooltip(), None, "the values are hidden when the pointer leaves")


def check_keyboard(browser, checks, page):
    checks.opens_clean(browser, page)
    browser.run("document.querySelector('[data-panel=\"loss\"] svg').focus()")
    browser.key("\ue014")  # arrow right
    first = browser.tooltip()
    checks.that(first and "step" in first, "an arrow key shows the values")
    browser.key("\ue014")
    checks.that(browser.tooltip() != first, "the next arrow key moves on")
    checks.that("Loss at step" in browser.run("return document.getElementById('announcer').textContent"), "values are announced")
    browser.key("+")
    checks.that("zoom=" in browser.run("return location.hash"), "plus zooms in")
    browser.key("\ue00c")  # escape
    checks.that("zoom=" not in browser.run("return location.hash"), "escape resets the zoom")


def check_zoom(browser, checks, page):
    checks.opens_clean(browser, page)
    before = browser.run(PATHS)
    box = browser.box('[data-panel="loss"] svg')
    y = box["y"] + box["height"] / 2
    browser.pointer(("move", box["x"] + box["width"] * 0.4, y), ("down",), ("move", box["x"] + box["width"] * 0.6, y), ("up",))
    checks.that(browser.run(PATHS) != before, "dragging zooms")
    checks.equal(browser.run("return document.getElementById('reset').disabled"), False, "the zoom can be reset")
    browser.click("#reset")
    checks.equal(browser.run(PATHS), before, "reset shows everything again")


def check_controls(browser, checks, page):
    checks.opens_clean(browser, page)
    before = browser.run(PATHS)
    for control in ("#log-y", "#log-x"):
        browser.click(control)
        checks.that(browser.run(PATHS) != before, f"{control} changes the curves")
        checks.that("NaN" not in "".join(browser.run(PATHS)), f"{control} draws no NaN")
        browser.click(control)
    checks.equal(browser.run(PATHS), before, "switching log axes off restores the curves")
    browser.run("const s = document.getElementById('smoothing'); s.value = 0.9; s.dispatchEvent(new Event('input'))")
    browser.settle()
    checks.equal(len(browser.run(PATHS)), 3, "smoothing draws the raw training curve faintly behind")
    for clock in ("epoch", "tokens", "seconds"):
        browser.click(f"input[value={clock}]")
        checks.that(f"over={clock}" in browser.run("return location.hash"), f"the curves are drawn over {clock}")
    fragment = browser.run("return location.hash.slice(1)")
    checks.opens_clean(browser, page, fragment)
    checks.equal(browser.run("return document.querySelector('input[name=clock]:checked').value"), "seconds",
                 "a reload keeps the choices")
    checks.equal(browser.run("return document.getElementById('smoothing').value"), "0.9", "a reload keeps the smoothing")


def check_several_runs(browser, checks, page):
    checks.opens_clean(browser, page)
    checks.equal(browser.run(LINES.format("loss")), 6, "three runs make six curves")
    browser.click("#legend .chip")
    checks.equal(browser.run(LINES.format("loss")), 4, "the legend hides a run")
    checks.equal(browser.run("return document.querySelector('#legend .chip').getAttribute('aria-pressed')"), "false",
                 "the button of a hidden run is not pressed")
    browser.click("#legend .chip")
    browser.click("#legend .chip:last-of-type")
    checks.equal(browser.run(LINES.format("loss")), 3, "the legend hides validation")
    keys = browser.run("return [...document.querySelectorAll('#config tbody tr')].map((r) => r.firstChild.textContent)")
    checks.that("training.learning_rate" in keys, "a differing key is in the table")
    checks.that("model.d_model" not in keys, "an equal key is not in the table")
    browser.click("#all-keys")
    checks.that(browser.run("return document.querySelector('#config tbody').textContent.includes('model.d_model')"),
                "the checkbox shows every key")


def check_samples(browser, checks, page):
    checks.opens_clean(browser, page)
    text = "return document.querySelector('#samples').textContent"
    last = browser.run(text)
    browser.run("const s = document.getElementById('sample-step'); s.value = 0; s.dispatchEvent(new Event('input'))")
    checks.that(browser.run(text) != last, "the slider shows the translations of another step")
    checks.that(browser.run("return document.querySelectorAll('#samples .off').length > 0"), "wrong words are marked")
    browser.run("document.querySelector('.sentence details').open = true")
    browser.settle()
    checks.that(browser.run("return document.querySelectorAll('.sentence details dd').length > 2"), "a sentence shows its history")


def check_themes(browser, checks, page):
    background = "return getComputedStyle(document.body).backgroundColor"
    seen = {}
    for scheme in ("light", "dark"):
        browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        checks.opens_clean(browser, page)
        seen[scheme] = browser.run(background)
    checks.that(seen["light"] != seen["dark"], "the page follows the system's light or dark theme")
    browser.click("#theme")
    checks.equal(browser.run(background), seen["light"], "the button overrides the system")
    browser.devtools("Emulation.setEmulatedMedia", features=[])


def check_hostile(browser, checks, page):
    checks.opens_clean(browser, page)
    checks.equal(browser.run("return window.broken === undefined"), True, "no text of a run is executed")
    checks.equal(browser.run("return document.querySelectorAll('main img, main b[onclick], header img').length"), 0,
                 "no text of a run becomes markup")
    checks.that(browser.run("return document.getElementById('samples').textContent.includes('</script><script>window.broken = 1')"),
                "hostile text is shown unchanged")


def check_young(browser, checks, page):
    checks.opens_clean(browser, page)
    checks.equal(browser.run(LINES.format("loss")), 1, "a run of one record has its curve")
    for control in ("#log-y", "#log-x"):
        browser.click(control)
    checks.that("NaN" not in "".join(browser.run(PATHS)), "one record on log axes draws no NaN")
    for section in ("samples", "tables", "events"):
        checks.that(browser.run("return document.getElementById(arguments[0]).hidden", section), f"{section} are hidden when there are none")
    checks.equal(browser.console(), [], "using the page leaves no messages on the console")


def check_text(browser, checks, page):
    """A language model's run: its own metrics, and samples without a reference."""
    checks.opens_clean(browser, page)
    for panel in ("bits_per_character", "bits_per_byte"):
        checks.equal(browser.run(LINES.format(panel)), 1, f"{panel} has one curve")
    checks.equal(browser.run("return document.querySelectorAll('[data-panel=\"bleu\"]').length"), 0, "there is no BLEU")
    checks.that(browser.run("return document.getElementById('samples').textContent.includes('Clara is a baker')"), "prompts are shown")
    checks.equal(browser.run("return document.querySelectorAll('#samples .off, #samples .exact').length"), 0,
                 "without a reference nothing is marked right or wrong")


def check_both_tasks(browser, checks, page):
    checks.opens_clean(browser, page)
    checks.equal(browser.run(LINES.format("loss")), 4, "two runs of two tasks make four curves")
    for panel in ("bleu", "bits_per_byte"):
        checks.equal(browser.run(LINES.format(panel)), 1, f"{panel} has the curve of its task's run")


def check_large(browser, checks, page):
    begin = time.monotonic()
    checks.opens_clean(browser, page)
    opened = time.monotonic() - begin
    redraw = browser.run("const t = performance.now(); document.getElementById('smoothing').value = 0.5;"
                         "document.getElementById('smoothing').dispatchEvent(new Event('input')); return t")
    browser.settle()
    redraw = browser.run("return performance.now()") - redraw
    print(f"two runs of 100,000 and 150,000 points: opened in {opened:.2f} s, smoothed and redrawn in {redraw:.0f} ms")
    checks.that(opened < 20 and redraw < 5000, "a long run stays usable")
    longest = max(len(d) for d in browser.run(PATHS))
    checks.that(longest < 60000, "a path has no more points than pixels can show")
    notes = browser.run("return document.querySelector('[data-panel=\"loss\"] .note').textContent")
    checks.that("extremes" in notes, "the chart has a note that it is thinned")


def take_pictures(browser, folder):
    for name, fragment in (("one", ""), ("one", "theme=dark"), ("three", "smooth=0.8"), ("three", "theme=dark&smooth=0.8&over=seconds"),
                           ("hostile", ""), ("young", ""), ("large", "smooth=0.9")):
        browser.open(folder / f"{name}.html", fragment)
        box = browser.box('[data-panel="loss"] svg')
        browser.pointer(("move", box["x"] + box["width"] * 0.3, box["y"] + 60))
        browser.picture(folder / f"{name}{'-dark' if 'dark' in fragment else ''}.png")


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    checks = Checks()
    with Browser() as browser:
        check_one_run(browser, checks, folder / "one.html")
        checks.opens_clean(browser, folder / "toy-en-de" / "report.html")
        for check in (check_hover, check_keyboard, check_zoom, check_controls, check_samples, check_themes):
            check(browser, checks, folder / "one.html")
        check_several_runs(browser, checks, folder / "three.html")
        check_hostile(browser, checks, folder / "hostile.html")
        check_young(browser, checks, folder / "young.html")
        check_text(browser, checks, folder / "text.html")
        check_both_tasks(browser, checks, folder / "both-tasks.html")
        check_large(browser, checks, folder / "large.html")
        if "--pictures" in sys.argv:
            take_pictures(browser, folder)
    checks.finish()


main()
