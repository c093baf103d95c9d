"""What the checks against other engines share: the program, the sentences, and a line of the table."""
import json
import os
import shutil
import subprocess
import sys


def read_lines(path, count):
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n") for line, _ in zip(file, range(count))]


class Calque:
    """The program calque and one of its runs."""

    def __init__(self, program, run):
        self.program, self.run = program, run

    def call(self, *arguments, text=None):
        return subprocess.run([self.program, *arguments], input=text, check=True,
                              stdout=subprocess.PIPE, encoding="utf-8").stdout

    def translate(self, lines, beam, allow_unknown=True, stop="first", limit=100, shortest=0):
        """Translates by the rule of CTranslate2 and transformers: a search ends when as many hypotheses
        have ended as the beam is wide. stop="narrow" is Marian's rule. shortest=1 is the default of
        CTranslate2: no empty translation."""
        return self.call("translate", self.run, "--beam", str(beam),
                         "--set", "decoding.length_penalty=1",
                         "--set", f"decoding.early_stopping={stop}",
                         "--set", f"decoding.allow_unknown={str(allow_unknown).lower()}",
                         "--set", "decoding.max_length_extra=1000", "--set", f"decoding.max_length={limit}",
                         "--set", f"decoding.min_length={shortest}",
                         text="".join(line + "\n" for line in lines)).splitlines()

    def score(self, source, target):
        """For each line, the log-probability of its target and the number of tokens, </s> included."""
        out = self.call("score", self.run, "--source", source, "--target", target)
        return [(float(line.split("\t")[0]), int(line.split("\t")[2])) for line in out.splitlines()]


def settings_of(settings):
    """The arguments that set these keys of a config."""
    return [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]


def step_of_training(calque, model, run, rate, data):
    """Imports a model, trains it for one step of gradient descent without dropout on the corpora that
    data.train lists, and returns its export."""
    tuned, out = f"{run}-step", f"{run}-step-huggingface"
    for folder in run, tuned, out:
        shutil.rmtree(folder, ignore_errors=True)
    calque.call("import", model, "--run", run)
    settings = {"data.train": data, "training.until": "1u", "training.optimizer": "sgd",
                "training.momentum": "0", "training.learning_rate": str(rate),
                "training.warmup_steps": "0", "training.clip_norm": "0",
                "training.label_smoothing": "0", "training.weight_decay": "0",
                "training.batch_tokens": "100000", "model.dropout": "0",
                "model.attention_dropout": "0", "logging.report": "false"}
    if "text:" in data:
        settings["data.cross_documents"] = "false"
    calque.call("train", f"{run}/finetune.yaml", "--run", tuned, "--quiet", *settings_of(settings))
    calque.call("export", tuned, "huggingface", "--out", out)
    return out


def report(format, engine, what, count, same, difference=0.0, most=0.0):
    """Prints one line of the table and returns whether it passed."""
    passed = same == count and difference <= most
    print(f"| {format} | {engine} | {what} | {count} | {same} | "
          f"{f'{difference:.1e}' if most else ''} | {'yes' if passed else 'NO'} |", flush=True)
    return passed


def report_tokens(format, engine, what, ours, theirs):
    same = sum(a == b for a, b in zip(ours, theirs, strict=True))
    for a, b in [(a, b) for a, b in zip(ours, theirs) if a != b][:3]:
        print(f"  calque: {a}\n  {engine}: {b}", file=sys.stderr)
    return report(format, engine, what, len(ours), same)


def tokens_of(folder):
    """The ids of the tokens in a folder of transformers, without <s>, <pad> and <unk>."""
    if os.path.exists(f"{folder}/vocab.json"):
        with open(f"{folder}/vocab.json", encoding="utf-8") as file:
            ids = json.load(file)
    else:
        with open(f"{folder}/tokenizer.json", encoding="utf-8") as file:
            tokenizer = json.load(file)
        vocabulary = tokenizer["model"]["vocab"]
        ids = vocabulary if isinstance(vocabulary, dict) else {
            token: i for i, (token, _) in enumerate(vocabulary)}
    return {token: i for token, i in ids.items() if token not in ("<s>", "<pad>", "<unk>")}


def compare_weights(before, after, ours, model, out):
    """Compares the weights before and after training in transformers with those of an export of calque: the
    number of tensors, how far a weight has moved, and the largest difference. The rows of a table are those of
    the tokens that the folders `model` and `out` share. The row of <s> is not compared: it is the padding, with
    which MarianMT's decoder begins, and transformers does not train it."""
    is_adapter = os.path.exists(f"{out}/adapter_config.json")
    rows, own_rows = tokens_of(model), {} if is_adapter else tokens_of(out)
    with open(f"{model}/config.json", encoding="utf-8") as file:
        size = json.load(file)["vocab_size"]
    shared = [token for token in own_rows if token in rows]
    compared, moved, largest = 0, 0.0, 0.0
    for name, own in ours.items():
        if name not in after or "embed_positions" in name or name == "final_logits_bias":
            continue  # constants in transformers
        start, end = before[name], after[name]
        if end.shape[0] == size:
            their = [rows[token] for token in shared]
            start, end, own = start[their], end[their], own[[own_rows[token] for token in shared]]
        moved = max(moved, (end - start).abs().max().item())
        largest = max(largest, (end - own).abs().max().item())
        compared += 1
    return compared, moved, largest
