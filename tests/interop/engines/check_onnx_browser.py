#!/usr/bin/env python3
"""Compares the export to ONNX with transformers.js in a headless Chromium: greedy translations.

    check_onnx_browser.py CALQUE RUN EXPORT SOURCE NODE_MODULES [LINES]

NODE_MODULES has the npm package @huggingface/transformers. The page is served on the loopback address.
"""
import functools
import http.server
import json
import os
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "browser"))
from browser import Browser
from interop_run import Calque, read_lines, report_tokens

PAGE = """<!doctype html><meta charset="utf-8"><title>translating</title><script type="module">
window.theirs = [];
try {
  const {pipeline, env} = await import("/transformers/transformers.min.js");
  Object.assign(env, {allowRemoteModels: false, allowLocalModels: true, localModelPath: "/models/"});
  env.backends.onnx.wasm.wasmPaths = "/runtime/";
  const translate = await pipeline("translation", "export", {dtype: "fp32", device: "wasm"});
  for (const line of await (await fetch("/lines.json")).json()) {
    const [{translation_text}] = await translate(line, {max_new_tokens: 100});
    window.theirs.push(translation_text.trimStart());
  }
  document.title = "done";
} catch (error) {
  window.theirs = String(error.stack ?? error);
  document.title = "failed";
}
</script>"""


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript",
                      ".wasm": "application/wasm"}

    def __init__(self, *arguments, folders, texts):
        self.folders, self.texts = folders, texts
        super().__init__(*arguments)

    def translate_path(self, path):
        for prefix, folder in self.folders.items():
            if path.startswith(prefix) and ".." not in path:
                return os.path.join(folder, path[len(prefix):])
        return os.devnull + "/missing"

    def do_GET(self):
        if self.path not in self.texts:
            return super().do_GET()
        kind, text = self.texts[self.path]
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


def translate_in_browser(export, modules, lines):
    folders = {"/transformers/": f"{modules}/@huggingface/transformers/dist",
               "/runtime/": f"{modules}/onnxruntime-web/dist", "/models/export/": export}
    texts = {"/": ("text/html", PAGE), "/lines.json": ("application/json", json.dumps(lines))}
    handler = functools.partial(Handler, folders=folders, texts=texts)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with Browser() as browser:
            browser.call("POST", browser.session + "/url",
                         {"url": f"http://127.0.0.1:{server.server_port}/"})
            for _ in range(600):
                if browser.run("return document.title") != "translating":
                    break
                time.sleep(0.5)
            theirs = browser.run("return window.theirs")
        server.shutdown()
    if isinstance(theirs, str):
        sys.exit(f"{export}: the page failed: {theirs}")
    return theirs


def main(program, run, export, source, modules, count="100"):
    lines = read_lines(source, int(count))
    theirs = translate_in_browser(export, modules, lines)
    package = json.loads(pathlib.Path(modules, "@huggingface/transformers/package.json").read_text())
    return report_tokens("onnx", f"transformers.js {package['version']} in Chromium",
                         f"{os.path.basename(run)}: greedy",
                         Calque(program, run).translate(lines, 1, allow_unknown=False), theirs)


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
