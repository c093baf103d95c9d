#!/usr/bin/env python3
"""Starts `calque serve` on a small run and sends HTTP requests to it.

  serve.py CALQUE FOLDER

Checks that answers over HTTP are those of `calque translate`, also for 32 clients at once, that SIGTERM lets a running
request finish and ends the server with status 0, and that a second SIGTERM ends it at once.
"""
import concurrent.futures
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "reliability"))
from small_tasks import small_config

CONFIG = small_config("translation") + """
training: {until: 30u, batch_tokens: 256, schedule: constant, learning_rate: 0.003, warmup_steps: 0}
logging: {report: false}
"""


def post(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def end_at_once(calque, run):
    """A second SIGTERM ends the server without waiting for the requests."""
    server = subprocess.Popen([calque, "serve", run, "--port", "0", "--threads", "1"], stdout=subprocess.PIPE, text=True)
    try:
        url = [server.stdout.readline().strip() for _ in range(2)][1]
        request = {"q": ["a b c a b c a b c a b c"] * 400, "source": "src", "target": "tgt", "alternatives": 10}
        with concurrent.futures.ThreadPoolExecutor(4) as clients:
            waiting = [clients.submit(post, url + "/translate", request) for _ in range(4)]
            while "\ncalque_queue_tokens 0\n" in urllib.request.urlopen(url + "/metrics", timeout=10).read().decode():
                pass
            server.send_signal(signal.SIGTERM)
            time.sleep(0.2)
            server.send_signal(signal.SIGTERM)
            assert server.wait(timeout=10) == -signal.SIGTERM, server.returncode
            assert any(each.exception() for each in waiting)
    finally:
        server.kill()


def main(calque, folder):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "small.yaml").write_text(CONFIG)
    run = folder / "run"
    subprocess.run([calque, "train", folder / "small.yaml", "--run", run, "--quiet"], check=True, timeout=120)
    texts = ["a b c", "b", "c a b", "a a b c"]
    translated = subprocess.run([calque, "translate", run], input="\n".join(texts) + "\n", capture_output=True, text=True,
                                check=True, timeout=120).stdout.splitlines()
    server = subprocess.Popen([calque, "serve", run, "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        lines = [server.stdout.readline().strip() for _ in range(2)]
        assert lines[0] == "run: src to tgt", lines
        url = lines[1]
        assert url.startswith("http://127.0.0.1:"), lines
        with urllib.request.urlopen(url + "/health", timeout=10) as health:
            assert json.load(health) == {"status": "ok"}
        answer = post(url + "/translate", {"q": texts, "source": "src", "target": "tgt"})
        assert answer == {"translatedText": translated}, (answer, translated)
        with concurrent.futures.ThreadPoolExecutor(32) as clients:
            one = lambda i: post(url + "/translate", {"q": texts[i % 4], "source": "src", "target": "tgt"})
            answers = list(clients.map(one, range(128)))
        assert [a["translatedText"] for a in answers] == translated * 32
        with concurrent.futures.ThreadPoolExecutor(1) as client:
            long = client.submit(post, url + "/translate", {"q": ["a b c a b c"] * 500, "source": "src", "target": "tgt"})
            while "\ncalque_queue_tokens 0\n" in urllib.request.urlopen(url + "/metrics", timeout=10).read().decode():
                pass
            server.send_signal(signal.SIGTERM)
            assert len(long.result()["translatedText"]) == 500
        assert server.wait(timeout=60) == 0, server.returncode
        end_at_once(calque, run)
    finally:
        server.kill()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
