#!/usr/bin/env python3
"""Generation by calque on one thread, for bench/compare-generation: tokens per CPU second as JSON.

  calque_generate.py RUN PRECISION SHORT LONG TOKENS TOKENS_OF_LONG   # SHORT and LONG are the files of the prompts
"""
import json
import pathlib
import sys
import time

import calque

run, precision, short, long, count, tokens_of_long = sys.argv[1:]
calque.set_threads(1)
model = calque.load(run, precision=precision)


def seconds(file, tokens):
    prompt = pathlib.Path(file).read_text()
    begin = time.process_time()
    written = model.generate(prompt, max_tokens=tokens, temperature=0)
    if len(written.tokens) < tokens:
        sys.exit(f"calque_generate: the model ended after {len(written.tokens)} tokens")
    return time.process_time() - begin


seconds(short, 4)
generation = seconds(short, int(count) + 1) - seconds(short, 1)
print(json.dumps({"generation": int(count) / generation, "prompt": int(tokens_of_long) / seconds(long, 1)}))
