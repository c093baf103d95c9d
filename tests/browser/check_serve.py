"""Checks the page of calque serve in a headless Chromium: check_serve.py CALQUE FOLDER

Trains six small runs, serves them, types into the page and checks what it shows.
"""
import pathlib
import sys
import time

from browser import Browser, Checks

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli" / "programs"))
from served import RunningServer, empty_folder, train

TASKS = {"reverser": "translation", "second": "translation", "writer": "language-model", "talker": "language-model",
         "judge": "classification", "marker": "tagging"}
SETTINGS = {"talker": ["data.turns={format: chatml}", "data.context=128"]}


def wait_for(browser, script):
    """Waits up to 20 seconds until the script returns a true value. Returns whether it did."""
    for _ in range(200):
        if browser.run("return " + script):
            return True
        time.sleep(0.1)
    return False


def type_into(browser, id, text):
    browser.run("const e = document.getElementById(arguments[0]); e.value = arguments[1];"
                "e.dispatchEvent(new Event('input'));", id, text)


def check_translating(browser, checks):
    results = "document.querySelectorAll('#results .result')"
    type_into(browser, "source", "a b c")
    checks.that(wait_for(browser, f"{results}.length === 1 && {results}[0].textContent !== ''"), "a text is translated as it is typed")
    checks.that(wait_for(browser, "document.querySelectorAll('#results .others li').length > 0"), "alternative translations are shown")
    words = "document.querySelectorAll('#alignment .aligned p:{}-child .word')"
    checks.that(wait_for(browser, words.format("first") + ".length === 3"), "the alignment shows the words of the text")
    target = words.format("last")
    checks.that(browser.run(f"return {target}.length > 0"), "the alignment shows the words of the translation")
    browser.run(f"{target}[0].focus()")
    checks.that(browser.run("return document.querySelectorAll('#alignment .linked').length === 1"), "focus on a translated word marks the word that it is aligned with")
    browser.run(f"{target}[0].blur()")
    checks.that(browser.run("return document.querySelectorAll('#alignment .linked').length === 0"), "the mark disappears when the translated word loses the focus")
    checks.that(browser.run("return !document.getElementById('beside-label').hidden"), "the box for a second model is shown")
    browser.click("#beside")
    checks.that(wait_for(browser, f"{results}.length === 2 && {results}[1].textContent !== ''"), "two models translate side by side")


def check_generating(browser, checks):
    type_into(browser, "prompt", "the ")
    checks.that(wait_for(browser, "document.querySelectorAll('#next .bar').length > 5"), "the probabilities of the next tokens are shown")
    share = "document.querySelector('#next .value').textContent"
    before = browser.run("return " + share)
    browser.run("const t = document.getElementById('temperature'); t.value = 0.1; t.dispatchEvent(new Event('input'));")
    checks.that(browser.run("return " + share) != before, "moving the temperature changes the probability of the next token at once")
    browser.click("#write")
    checks.that(wait_for(browser, "document.getElementById('prompt').value.length > 30"), "the button extends the prompt by a generated text")


def say(browser, text):
    type_into(browser, "message", text)
    browser.run("document.getElementById('message').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', cancelable: true}))")


def check_chatting(browser, checks):
    """Two turns, one of them stopped, the alternatives of a token, and a new conversation."""
    turns = "document.querySelectorAll('#turns .turn')"
    tokens = "document.querySelectorAll('#turns .turn:last-child .said')"
    checks.equal(browser.run("return [...document.querySelectorAll('#chat-model option')].map((o) => o.value)"), ["talker"],
                 "the chat lists the models with a turn format")
    browser.run("const t = document.getElementById('chat-tokens'); t.value = 24; t.dispatchEvent(new Event('input'));")
    say(browser, "the king")
    checks.that(wait_for(browser, f"{turns}.length === 2 && {tokens}.length > 0"), "an answer has the probabilities of its tokens")
    checks.that(browser.run(f"return {turns}[0].querySelector('p').textContent === 'the king'"), "the text of the user is shown above its answer")
    checks.that(browser.run(f"return [...{tokens}].every((t) => t.style.getPropertyValue('--surprise') !== '')"), "each token has a colour by its probability")
    # A sampled answer may begin with a line end, at which nothing can point.
    browser.run(f"[...{tokens}].find((t) => t.textContent.trim() !== '').id = 'pointed'")
    box = browser.box("#pointed")
    browser.pointer(("move", box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
    checks.that("%" in (browser.tooltip() or ""), "pointing at a token shows the probabilities of others in its place")
    browser.pointer(("down",), ("up",))
    checks.that(browser.run("return document.querySelectorAll('#token-alternatives .bar').length >= 8"), "a click keeps them")
    browser.pointer(("move", 1, 1))
    checks.that(browser.tooltip() is None, "they disappear with the pointer")
    say(browser, "the queen")
    checks.that(wait_for(browser, f"{turns}.length === 4 && {tokens}.length > 0"), "a conversation goes on")
    browser.run("const t = document.getElementById('chat-tokens'); t.value = 512; t.dispatchEvent(new Event('input'));")
    say(browser, "the dog")
    browser.click("#hush")
    checks.that(wait_for(browser, "document.getElementById('hush').disabled && !document.getElementById('say').disabled"), "the button stops an answer")
    checks.that(browser.run("return document.getElementById('problem').hidden"), "a stopped answer is no error")
    browser.click("#fresh")
    checks.that(browser.run(f"return {turns}.length === 0 && document.getElementById('chosen-token').hidden"), "a new conversation is empty")


def check(browser, checks, url):
    browser.call("POST", browser.session + "/url", {"url": url + "/"})
    shown = "!document.getElementById('{}').hidden"
    for part in ("translate", "chat", "generate", "classify", "tag"):
        checks.that(wait_for(browser, shown.format(part)), f"the page has the part {part}")
    check_translating(browser, checks)
    check_generating(browser, checks)
    check_chatting(browser, checks)
    type_into(browser, "text", "the dog")
    checks.that(wait_for(browser, "document.querySelectorAll('#classes .bar').length === 2"), "a text is classified with the probabilities of both classes")
    type_into(browser, "sentence", "the dog  der Hund")
    checks.that(wait_for(browser, "[...document.querySelectorAll('#tagged .word')].some((word) => word.textContent.startsWith('the'))"), "the words of a text are tagged")
    browser.click("#inside")
    inside = "document.getElementById('explanation').getAttribute('src')"
    checks.that(wait_for(browser, inside + " !== null"), "the frame of the explanation gets an address")
    time.sleep(1)  # gives the explanation time to load
    checks.that(browser.run("return document.documentElement.scrollWidth <= window.innerWidth"), "the page is not wider than the window")
    checks.that(browser.run("return document.getElementById('problem').hidden"), "the page shows no error message")
    browser.call("POST", browser.session + "/url", {"url": url + "/" + browser.run("return " + inside)})
    checks.that(wait_for(browser, "document.querySelectorAll('#beam svg g:not(.best)').length > 0"), "the explanation of a translation draws the beam as a tree")
    messages = [text for text in browser.console() if "favicon" not in text]
    checks.equal(messages, [], "the pages write no messages to the console")


def main(calque, folder):
    with Browser() as browser:
        folder = empty_folder(folder)
        runs = [train(calque, folder, name, task, *SETTINGS.get(name, [])) for name, task in TASKS.items()]
        checks = Checks()
        with RunningServer(calque, runs) as server:
            check(browser, checks, server.url)
    checks.finish()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
