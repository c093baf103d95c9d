"""Checks the page of calque serve in a headless Chromium: check_serve.py CALQUE FOLDER

Trains three small runs, serves them, types into the page and reads what it shows.
"""
import pathlib
import shutil
import subprocess
import sys
import time

from browser import Browser, Checks

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "reliability"))
from small_tasks import small_config

TRAINING = """
training: {until: 30u, batch_tokens: 256, schedule: constant, learning_rate: 0.003, warmup_steps: 0}
logging: {report: false}
"""
TASKS = {"reverser": "translation", "writer": "language-model", "judge": "classification"}


def wait_for(browser, script):
    """Until the script returns something true, for at most 20 seconds."""
    for _ in range(200):
        if browser.run("return " + script):
            return True
        time.sleep(0.1)
    return False


def type_into(browser, id, text):
    browser.run("const e = document.getElementById(arguments[0]); e.value = arguments[1];"
                "e.dispatchEvent(new Event('input'));", id, text)


def check(browser, checks, url):
    browser.call("POST", browser.session + "/url", {"url": url + "/"})
    shown = "!document.getElementById('{}').hidden"
    for part in ("translate", "generate", "classify"):
        checks.that(wait_for(browser, shown.format(part)), f"the page shows {part}")
    type_into(browser, "source", "a b c")
    checks.that(wait_for(browser, "document.getElementById('target').textContent !== ''"), "a text is translated as it is typed")
    checks.that(wait_for(browser, "document.querySelectorAll('#others li').length > 0"), "alternatives are shown")
    type_into(browser, "prompt", "the ")
    checks.that(wait_for(browser, "document.querySelectorAll('#next .bar').length > 5"), "the next tokens are shown")
    share = "document.querySelector('#next .value').textContent"
    before = browser.run("return " + share)
    browser.run("const t = document.getElementById('temperature'); t.value = 0.1; t.dispatchEvent(new Event('input'));")
    checks.that(browser.run("return " + share) != before, "the temperature changes their shares at once")
    browser.click("#write")
    checks.that(wait_for(browser, "document.getElementById('prompt').value.length > 30"), "a text is written")
    type_into(browser, "text", "the dog")
    checks.that(wait_for(browser, "document.querySelectorAll('#classes .bar').length === 2"), "a text is classified")
    browser.click("#inside")
    checks.that(wait_for(browser, "document.getElementById('explanation').getAttribute('src') !== null"), "the inside is shown")
    time.sleep(1)
    checks.that(browser.run("return document.documentElement.scrollWidth <= window.innerWidth"), "nothing overflows horizontally")
    checks.that(browser.run("return document.getElementById('problem').hidden"), "no problem is shown")
    complaints = [text for text in browser.console() if "favicon" not in text]
    checks.that(not complaints, f"the console is empty: {complaints}")


def main(calque, folder):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with Browser() as browser:
        for name, task in TASKS.items():
            (folder / f"{name}.yaml").write_text(small_config(task) + TRAINING)
            subprocess.run([calque, "train", folder / f"{name}.yaml", "--run", folder / name, "--quiet"], check=True, timeout=120)
        server = subprocess.Popen([calque, "serve", *(folder / name for name in TASKS), "--port", "0"],
                                  stdout=subprocess.PIPE, text=True)
        try:
            url = [server.stdout.readline().strip() for _ in range(len(TASKS) + 1)][-1]
            checks = Checks()
            check(browser, checks, url)
        finally:
            server.terminate()
            server.wait()
    checks.finish()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
