#!/usr/bin/env python3
"""Compares what `calque explain` finds inside a language model with what hooks of PyTorch find in its
export to transformers: the logit lens, the patterns of heads, attributions, activation patching, and
the output without heads and steered.

    check_inspection.py CALQUE RUN EXPORT TEXT [PAIRS]
"""
import contextlib
import json
import os
import sys
import warnings

import torch
import transformers
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

from interop_run import Calque, read_lines, report

BEGIN = 1  # calque's <s>; an export keeps the ids


class Hooked:
    """A model of transformers whose states can be read and changed. State n is the input of layer n, and
    the last state is the output of the last layer."""

    def __init__(self, model):
        self.model = model
        body = getattr(model, "transformer", None) or getattr(model, "gpt_neox", None) or model.model
        self.layers = body.h if hasattr(body, "h") else body.layers
        self.norm = next(getattr(body, name) for name in ("ln_f", "final_layer_norm", "norm")
                         if hasattr(body, name))
        self.output = model.get_output_embeddings()
        self.heads = model.config.num_attention_heads

    def projection(self, layer):
        """The projection of the heads' outputs in attention."""
        layer = self.layers[layer]
        attention = next(getattr(layer, name) for name in ("attn", "attention", "self_attn")
                         if hasattr(layer, name))
        return next(getattr(attention, name) for name in ("c_proj", "dense", "o_proj")
                    if hasattr(attention, name))

    def change_state(self, state, change):
        """A hook that replaces a state x by change(x)."""
        if state < len(self.layers):
            return self.layers[state].register_forward_pre_hook(
                lambda _, args, kwargs: ((change(args[0]), *args[1:]), kwargs), with_kwargs=True)

        def after(_, __, out):
            return (change(out[0]), *out[1:]) if isinstance(out, tuple) else change(out)
        return self.layers[-1].register_forward_hook(after)

    def zero_head(self, layer, head):
        def before(_, args):
            x = args[0].clone()
            size = x.shape[-1] // self.heads
            x[..., head * size:(head + 1) * size] = 0
            return (x, *args[1:])
        return self.projection(layer).register_forward_pre_hook(before)

    def logits(self, ids, hooks=(), **more):
        with contextlib.ExitStack() as stack:
            for hook in hooks:
                stack.callback(hook.remove)
            return self.model(torch.tensor([ids]), use_cache=False, **more).logits[0]

    def states(self, ids):
        found = []

        def keep(x):
            found.append(x[0].detach().clone())
            return x
        self.logits(ids, [self.change_state(n, keep) for n in range(len(self.layers) + 1)])
        return found


def ids_of(tokens):
    return [token["id"] for token in tokens]


def largest(differences):
    return max(map(float, differences), default=0.0)


def lens_difference(model, found, read, targets):
    differences = []
    for state, guesses in zip(model.states(read), found["lens"], strict=True):
        p = model.output(model.norm(state)).softmax(-1)
        for t, guess in enumerate(guesses):
            differences.append(abs(p[t, targets[t]] - guess["target"]))
            differences += [abs(p[t, each["id"]] - each["probability"]) for each in guess["best"]]
    return largest(differences)


def pattern_difference(model, found, read, longest):
    def attentions(ids):
        return [a[0] for a in model.model(torch.tensor([ids]), output_attentions=True).attentions]
    n = min(len(read) - 1, (longest - 1) // 2)
    once, twice = attentions(read), attentions(read[:1 + n] + read[1:1 + n])
    differences = []
    for head in found["heads"]:
        a, b = (each[head["layer"]][head["head"]] for each in (once, twice))
        rows = range(2, len(read))
        second = range(1 + n, 1 + 2 * n)
        expected = {"previous": [a[t, t - 1] for t in rows], "first": [a[t, 0] for t in rows],
                    "own": [a[t, t] for t in rows], "induction": [b[t, t - n + 1] for t in second]}
        differences += [abs(sum(weights) / len(weights) - head[name])
                        for name, weights in expected.items()]
    return largest(differences)


def attribution_difference(model, found, read, targets, given):
    differences = []
    for row, numbers in enumerate(found["attribution"]):
        ids = read[:given + row + 1]
        x = model.model.get_input_embeddings()(torch.tensor([ids])).detach().requires_grad_()
        with torch.enable_grad():
            logits = model.model(inputs_embeds=x, use_cache=False).logits[0]
            gradient, = torch.autograd.grad(logits[-1, targets[given + row]], x)
        expected = (gradient * x)[0].sum(-1)
        differences += [abs(a - b) for a, b in zip(expected, numbers)]
    return largest(differences)


def patching_difference(model, found, prompt):
    patching = found["patching"]
    others = model.states(ids_of(patching["tokens"]))
    gains, loses = patching["gains"]["id"], patching["loses"]["id"]

    def difference(ids, hooks=()):
        last = model.logits(ids, hooks)[-1]
        return last[gains] - last[loses]

    differences = [abs(difference(prompt) - patching["before"]),
                   abs(difference(ids_of(patching["tokens"])) - patching["after"])]
    for n, row in enumerate(patching["patched"]):
        for t, value in enumerate(row):
            def patch(x):
                x = x.clone()
                x[0, t] = others[n][t]
                return x
            differences.append(abs(difference(prompt, [model.change_state(n, patch)]) - value))
    return largest(differences)


def changed_difference(before, after, tokens):
    before, after = before[-1].softmax(-1), after[-1].softmax(-1)
    return largest(abs(p[each["id"]] - each[name]) for each in tokens
                   for p, name in ((before, "before"), (after, "after")))


def zeroed_difference(model, found, prompt):
    before = model.logits(prompt)
    return largest(
        changed_difference(before, model.logits(prompt, [model.zero_head(head["layer"], head["head"])]),
                           head["without"]["next"]) for head in found["heads"])


def edits_differ(model, found, prompt, tokens, state, strength, head):
    """The largest difference of the next token's probabilities, and whether the continuation is the same."""
    direction = model.output.weight[tokens].mean(0)
    direction = direction / direction.norm() * strength * model.states(prompt)[state][-1].norm()

    def hooks():
        return [model.zero_head(*head), model.change_state(state, lambda x: x + direction)]
    edited = found["edited"]
    difference = changed_difference(model.logits(prompt), model.logits(prompt, hooks()), edited["next"])
    read, same = list(prompt), True
    for token in ids_of(edited["continuation"]):
        logits = model.logits(read, hooks())[-1]
        logits[:2] = -torch.inf  # <unk> and <s> are not written
        same &= logits.argmax().item() == token
        read.append(token)
    return difference, same


def pairs_of(tokenizer, lines, count):
    """Beginnings of lines with the same number of tokens, side by side."""
    by_length, pairs = {}, []
    for line in lines:
        prompt = line[:14].strip()
        waiting = by_length.pop(len(tokenizer(prompt).input_ids), None) if prompt else None
        if waiting is not None and waiting != prompt:
            pairs.append((waiting, prompt))
        elif prompt:
            by_length[len(tokenizer(prompt).input_ids)] = prompt
    return pairs[:count]


def main(program, run, export, text, count="10"):
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_grad_enabled(False)
    calque = Calque(program, run)
    tokenizer = PreTrainedTokenizerFast.from_pretrained(export)
    model = Hooked(AutoModelForCausalLM.from_pretrained(export, attn_implementation="eager").eval())
    layers, strength = len(model.layers), 0.3
    worst, same_text = {}, True
    pairs = pairs_of(tokenizer, read_lines(text, 1000), int(count))
    for i, (prompt, against) in enumerate(pairs):
        head, state = (i % layers, i % model.heads), i % (layers + 1)
        word = against.split()[0]
        out = json.loads(calque.call(
            "explain", run, prompt, "--against", against, "--without-heads", f"{head[0] + 1}.{head[1] + 1}",
            "--steer", f"{word}:{state}:{strength}", "--json"))
        found, targets, given = out["inspection"], ids_of(out["target_tokens"]), out["given"]
        read = [BEGIN] + targets[:-1]
        ids = read[:given + 1]
        tokens = tokenizer(word, add_special_tokens=False).input_ids
        edits, same = edits_differ(model, found, ids, tokens, state, strength, head)
        same_text &= same
        for what, difference in (
                ("logit lens", lens_difference(model, found, read, targets)),
                ("patterns of heads", pattern_difference(model, found, read, tokenizer.model_max_length)),
                ("gradient times input", attribution_difference(model, found, read, targets, given)),
                ("activation patching", patching_difference(model, found, ids)),
                ("without each head", zeroed_difference(model, found, ids)),
                ("without a head, steered", edits)):
            worst[what] = max(worst.get(what, 0.0), difference)
    engine = f"transformers {transformers.__version__}"
    format = f"huggingface {type(model.model).__name__}"
    name, n = os.path.basename(run), len(pairs)
    passed = n > 0 and same_text
    for what, difference in worst.items():
        same = n if same_text or what != "without a head, steered" else 0
        passed &= report(format, engine, f"{name}: {what}", n, same, difference, 1e-4)
    return passed


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
