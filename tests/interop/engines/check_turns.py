#!/usr/bin/env python3
"""Compares the text of conversations with that of apply_chat_template() of transformers, for each turn format.

    check_turns.py CALQUE [FORMAT=TOKENIZER_CONFIG...]

Programs of the same meaning stand for the published templates. The templates that calque writes into its
exports are compared too, and each TOKENIZER_CONFIG, a published tokenizer_config.json in one of the formats.
"""
import json
import random
import sys
import tempfile

import transformers
from transformers.utils.chat_template_utils import render_jinja_template

from interop_run import Calque, report

CHATML = ("{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>\\n' }}{% endfor %}"
          "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}")
LLAMA3 = ("{{ bos_token }}{% for m in messages %}{{ '<|start_header_id|>' + m['role'] + '<|end_header_id|>\\n\\n' + "
          "m['content'] | trim + '<|eot_id|>' }}{% endfor %}{% if add_generation_prompt %}"
          "{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}")
GEMMA = ("{{ bos_token }}{% set first = messages[0]['role'] == 'system' %}"
         "{% for m in (messages[1:] if first else messages) %}{{ '<start_of_turn>' + "
         "('model' if m['role'] == 'assistant' else 'user') + '\\n' + "
         "(messages[0]['content'] + '\\n\\n' if first and loop.first else '') + m['content'] | trim + "
         "'<end_of_turn>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}")
MISTRAL = ("{{ bos_token }}{% for m in messages %}{% if m['role'] == 'user' %}{{ '[INST] ' + m['content'] + ' [/INST]' }}"
           "{% else %}{{ m['content'] + eos_token }}{% endif %}{% endfor %}")
FORMATS = [("chatml", CHATML, "", ""), ("llama3", LLAMA3, "<|begin_of_text|>", "<|eot_id|>"),
           ("gemma", GEMMA, "<bos>", "<eos>"), ("mistral", MISTRAL, "<s>", "</s>")]
PARTS = ["Hello", " ", "\n", "\u00a0", "\u3000", "日本語", "नमस्ते", "<|im_end|>", "{{ x }}", "\t", "'", '"', "é", "\\n", "🙂", "a b  c"]


def conversation(draw, system, open):
    text = lambda: "".join(draw.choice(PARTS) for _ in range(draw.randrange(6)))
    messages = [{"role": "system", "content": text()}] if system and draw.random() < 0.5 else []
    for _ in range(draw.randrange(1, 4)):
        messages += [{"role": "user", "content": text()}, {"role": "assistant", "content": text()}]
    return messages[:-1] if open else messages


def main(program, *configs):
    calque = Calque(program, None)
    engine = f"transformers {transformers.__version__}"
    known = [(name, (config := json.load(open(path)))["chat_template"], config.get("bos_token"),
              config.get("eos_token")) for name, path in (each.split("=", 1) for each in configs)]
    written = [(name, calque.call("data", "turns", "--template", "--format", name).rstrip("\n"), bos, eos)
               for name, _, bos, eos in FORMATS + [("alpaca", "", "<s>", "</s>")]]
    passed = True
    for name, template, bos, eos in FORMATS + written + known:
        draw = random.Random(1)
        for open_ in False, True:
            lines = [conversation(draw, template != MISTRAL, open_) for _ in range(500)]
            theirs = render_jinja_template(conversations=lines, chat_template=template, bos_token=bos, eos_token=eos,
                                           add_generation_prompt=open_)[0]
            with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
                file.writelines(json.dumps({"messages": line}) + "\n" for line in lines)
                file.flush()
                ours = [json.loads(line)["text"] for line in calque.call(
                    "data", "turns", file.name, "--format", name, *(["--open"] if open_ else [])).splitlines()]
            same = sum(a == b for a, b in zip(ours, theirs, strict=True))
            for a, b in [(a, b) for a, b in zip(ours, theirs) if a != b][:3]:
                print(f"  calque: {a!r}\n  {engine}: {b!r}", file=sys.stderr)
            passed &= report("chat template", engine, f"{name}{', to be answered' if open_ else ''}", len(lines), same)
    return passed


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
