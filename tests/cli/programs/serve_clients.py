#!/usr/bin/env python3
"""Sends requests to `calque serve` with third-party clients: curl and four npm packages.

  serve_clients.py CALQUE FOLDER CLIENTS

CLIENTS is the folder into which scripts/test installs the packages. Exits with 77 (skipped) without them.
"""
import json
import pathlib
import shutil
import subprocess
import sys

from served import RunningServer, empty_folder, train

HERE = pathlib.Path(__file__).parent
TEXT = "Anna sees the dog"


def curl(url, *options):
    done = subprocess.run(["curl", "--silent", "--max-time", "30", *options, url], capture_output=True, text=True, check=True)
    return done.stdout


def check_curl(url):
    form = ["--data-urlencode", "q=" + TEXT, "-d", "source=en", "-d", "target=de"]
    expected = json.loads(curl(url + "/translate", *form))["translatedText"]
    assert expected, "the translation is empty"
    body = json.dumps({"q": TEXT, "source": "en", "target": "de"})
    of_json = ["-H", "Content-Type: application/json", "-d", body]
    for options in (of_json, [*of_json, "--http1.0"], ["-G", *form],
                    [*of_json, "-H", "Transfer-Encoding: chunked"], [*of_json, "-H", "Expect: 100-continue"]):
        assert json.loads(curl(url + "/translate", *options)) == {"translatedText": expected}, options
    both = curl(url + "/health", url + "/health")  # on one connection
    assert both == '{"status":"ok"}\n' * 2, both
    assert curl(url + "/translate", "-o", "/dev/null", "-w", "%{http_code}", "-d", "q=a") == "400"
    events = curl(url + "/v1/completions", "-H", "Content-Type: application/json",
                  "-d", json.dumps({"prompt": "the ", "max_tokens": 5, "stream": True}))
    assert events.endswith("data: [DONE]\n\n"), events
    return expected


def main(calque, folder, clients):
    for program in ("curl", "node"):
        if not shutil.which(program):
            print(f"skipped: {program} is missing")
            sys.exit(77)
    if not (pathlib.Path(clients) / "node_modules" / "openai").is_dir():
        print(f"skipped: {clients} has no npm packages; scripts/test installs them")
        sys.exit(77)
    folder = empty_folder(folder)
    runs = [train(calque, folder, "reverser", "translation", "data.train={toy: toy-en-de, pairs: 300}",
                  "data.validation={toy: toy-en-de, pairs: 20}", "decoding.min_length=1"),
            train(calque, folder, "writer", "language-model", "data.turns={format: chatml}", "data.context=128",
                  "tokenizer.kind=bytes")]
    with RunningServer(calque, runs) as server:
        expected = check_curl(server.url)
        subprocess.run(["node", HERE / "serve_clients.mjs", clients, server.url, TEXT, expected], check=True, timeout=120)


if __name__ == "__main__":
    main(*sys.argv[1:4])
