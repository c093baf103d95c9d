"""Drives a headless Chromium through chromedriver, with the standard library alone.

Implements the part of the WebDriver protocol that the page tests need: open a page, run a script,
move and press the pointer, press keys, take a screenshot, read the console.
"""
import base64
import json
import re
import shutil
import subprocess
import sys
import urllib.request

SKIPPED = 77


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIPPED)


class Browser:
    def __init__(self, width=1400, height=1000):
        driver = shutil.which("chromedriver")
        chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if not driver or not chromium:
            skip("no chromium with its chromedriver here")
        self.process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = None
        for line in self.process.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                self.url = f"http://127.0.0.1:{found.group(1)}"
                break
        if not self.url:
            skip("chromedriver does not start")
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
                     f"--window-size={width},{height}"]
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"binary": chromium, "args": arguments},
                  "goog:loggingPrefs": {"browser": "ALL"}}
        try:
            answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        except OSError as error:
            self.process.terminate()
            skip(f"chromium does not start: {error}")
        self.session = "/session/" + answer["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", self.session)
        finally:
            self.process.terminate()
            self.process.wait()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise OSError(json.load(error)["value"]["message"]) from None

    def open(self, path, fragment=""):
        # Opens an empty page first, because a new fragment alone would not reload the page.
        self.call("POST", self.session + "/url", {"url": "about:blank"})
        address = "file://" + urllib.request.pathname2url(str(path)) + (f"#{fragment}" if fragment else "")
        self.call("POST", self.session + "/url", {"url": address})
        self.settle()

    def settle(self):
        """Waits until the browser has drawn all changes."""
        self.call("POST", self.session + "/execute/async", {
            "script": "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));", "args": []})

    def run(self, script, *arguments):
        return self.call("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def devtools(self, command, **parameters):
        return self.call("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def console(self):
        """The console messages of the page since the last call. They include refused requests."""
        return [entry["message"] for entry in self.call("POST", self.session + "/se/log", {"type": "browser"})]

    def tooltip(self):
        """The text of the tooltip, or None while it is hidden."""
        return self.run("const tip = document.getElementById('tooltip'); return tip.hidden ? null : tip.textContent")

    def pointer(self, *steps):
        """Steps are ("move", x, y), ("down",) and ("up",), in CSS pixels of the window."""
        actions = []
        for step in steps:
            if step[0] == "move":
                actions.append({"type": "pointerMove", "x": int(step[1]), "y": int(step[2]), "duration": 20, "origin": "viewport"})
            else:
                actions.append({"type": "pointerDown" if step[0] == "down" else "pointerUp", "button": 0})
        source = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}
        self.call("POST", self.session + "/actions", {"actions": [source]})
        self.settle()

    def key(self, text):
        actions = [{"type": "keyDown", "value": text}, {"type": "keyUp", "value": text}]
        self.call("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})
        self.settle()

    def click(self, selector):
        self.run("document.querySelector(arguments[0]).click()", selector)
        self.settle()

    def box(self, selector):
        """The position and size of the element in the window, after scrolling it into view."""
        return self.run("const e = document.querySelector(arguments[0]); e.scrollIntoView({block: 'center'});"
                        "const b = e.getBoundingClientRect(); return {x: b.x, y: b.y, width: b.width, height: b.height};", selector)

    def picture(self, path, full=True):
        if full:
            height = self.run("return document.documentElement.scrollHeight")
            width = self.run("return window.innerWidth")
            picture = self.devtools("Page.captureScreenshot", captureBeyondViewport=True,
                                    clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1})["data"]
        else:
            picture = self.call("GET", self.session + "/screenshot")
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture))


class Checks:
    """Counts and prints failed checks, without stopping at them."""

    def __init__(self):
        self.failed = 0
        self.made = 0

    def that(self, holds, sentence):
        self.made += 1
        if not holds:
            self.failed += 1
            print("FAILED:", sentence)

    def equal(self, found, wanted, sentence):
        self.that(found == wanted, f"{sentence}: found {found!r}, expected {wanted!r}")

    def opens_clean(self, browser, page, fragment=""):
        browser.open(page, fragment)
        self.equal(browser.console(), [], f"{page.name} opens without messages on the console")

    def finish(self):
        print(f"{self.made - self.failed} of {self.made} checks hold")
        sys.exit(1 if self.failed else 0)
