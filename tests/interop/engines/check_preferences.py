#!/usr/bin/env python3
"""Trains small language models on preferences with calque and with the DPOTrainer of TRL, and compares the
loss, accuracy and margin of each step, and the weights after the last one.

    check_preferences.py CALQUE WORK

The models are those of train_language_model.py, with random weights, and each step has all pairs. TRL also counts
the line break that a chat template puts after the last answer, so its templates here put none there.
"""
import json
import os
import shutil
import sys
import tempfile
import warnings
from dataclasses import dataclass

import datasets
import peft
import torch
import transformers
import trl
from safetensors.torch import load_file
from tokenizers import processors
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

import library_tokenizers
from interop_run import Calque, compare_weights, report, settings_of
from train_language_model import config_of

STEPS, RATE, BETA, DECAY, CONTEXT = 8, 0.001, 0.1, 0.1, 128
EPSILON = 1e-5  # with less, Adam enlarges what is rounded in gradients of almost 0
MOST = 1e-5  # of a difference
PAIRS = [("Name a colour.", "Blue.", "Seven."), ("Say hello.", "Hello!", "What?"), ("Spell cat.", "c-a-t", "dog"),
         ("Count to three.", "One, two, three.", "No."), ("Two and two?", "Four.", "A crowd, and more than that."),
         ("The capital of France?", "Paris.", "A cheese of the north."), ("Is snow warm?", "No, it is cold.", "Yes."),
         ("Wie heißt du?", "Ich heiße Ada.", "Ja."), ("A Greek word?", "λόγος", "word"), ("Thanks.", "Gladly!", "Me?"),
         ("Finish: one, two,", "three", "and so on and so on"), ("Good night.", "Sleep well.", "It is noon.")]
MARKERS = ["<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|im_start|>", "<|im_end|>",
           "<start_of_turn>", "<end_of_turn>"]


@dataclass
class Case:
    kind: str  # of the model
    turns: str = "none"
    whole: bool = False  # both answers with the conversation before them, and no prompt
    smoothing: float = 0  # as in calque: twice the share of the pairs that are the wrong way round
    adapter: bool = False
    unknown: bool = True  # whether the vocabulary has <unk>

    def __str__(self):
        more = [f"turns of {self.turns}"] * (self.turns != "none") + ["whole conversations"] * self.whole
        more += [f"label_smoothing {self.smoothing}"] * (self.smoothing > 0) + ["LoRA"] * self.adapter
        more += ["no <unk>"] * (not self.unknown)
        return ", ".join([self.kind] + (more or ["plain prompts"]))


CASES = [Case("llama"), Case("llama", smoothing=0.2), Case("llama", adapter=True), Case("llama3", "llama3"),
         Case("qwen3", "chatml", whole=True), Case("qwen3", "chatml", unknown=False),
         Case("qwen3", "chatml", adapter=True, unknown=False),
         Case("gemma3", "gemma", adapter=True)]


def lines_of(case):
    """The pairs as lines of a file. Every third conversation has an earlier answer."""
    if case.turns == "none":
        return [{"prompt": prompt, "chosen": " " + chosen, "rejected": " " + rejected}
                for prompt, chosen, rejected in PAIRS]
    lines = []
    for i, (prompt, *answers) in enumerate(PAIRS):
        before = [{"role": "user", "content": prompt}]
        if i % 3 == 0:
            before = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}] + before
        chosen, rejected = ([{"role": "assistant", "content": answer}] for answer in answers)
        lines.append({"chosen": before + chosen, "rejected": before + rejected} if case.whole else
                     {"prompt": before, "chosen": chosen, "rejected": rejected})
    return lines


def make_model(case, folder, template):
    """Writes a model with random weights, and returns its tokenizer."""
    begin, end, unknown = "<|begin_of_text|>", "<|end_of_text|>", "<unk>" if case.unknown else None
    special = ["<unk>"] * case.unknown + [begin, end] + MARKERS
    tokenizer = library_tokenizers.byte_level([" ".join(pair) for pair in PAIRS], 400, special)
    tokenizer.model.unk_token = unknown
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A", special_tokens=[(begin, tokenizer.token_to_id(begin))])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=begin, eos_token=end,
                                        unk_token=unknown, pad_token=end, chat_template=template, model_max_length=CONTEXT)
    config = config_of(case.kind, tokenizer)
    config.max_position_embeddings = CONTEXT
    torch.manual_seed(1)
    AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return tokenizer


def train_ours(calque, case, model, run, pairs):
    """Trains the imported model, and returns its export and, of each step, the loss before it, and the loss, accuracy
    and margin after it. For an adapter, also exports one that training has hardly moved, for TRL to start from."""
    calque.call("import", model, "--run", run)
    settings = {"data.train": f"{{preferences: {pairs}}}", "data.validation": f"{{preferences: {pairs}}}",
                "training.until": f"{STEPS}u", "training.optimizer": "adamw", "training.betas": "[0.9, 0.999]",
                "training.epsilon": EPSILON, "training.weight_decay": DECAY, "training.clip_norm": 1,
                "training.schedule": "constant", "training.learning_rate": RATE, "training.warmup_steps": 0,
                "training.batch_tokens": 100000, "training.label_smoothing": case.smoothing,
                "training.dpo_beta": BETA, "training.validate_every": "1u", "model.dropout": 0,
                "logging.every": 1, "logging.report": "false"}
    if case.adapter:
        settings["model.adapter"] = "{kind: lora, rank: 4, alpha: 8, dropout: 0}"
        still = settings | {"training.learning_rate": 1e-30}
        calque.call("train", f"{run}/finetune.yaml", "--run", f"{run}-start", "--quiet", *settings_of(still))
        calque.call("export", f"{run}-start", "peft", "--out", f"{run}-start-peft")
    calque.call("train", f"{run}/finetune.yaml", "--run", f"{run}-tuned", "--quiet", *settings_of(settings))
    out = f"{run}-tuned-theirs"
    calque.call("export", f"{run}-tuned", "peft" if case.adapter else "huggingface", "--out", out)
    with open(f"{run}-tuned/metrics.jsonl", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    trained = [(each["loss"],) for each in records if each["kind"] == "train"]
    after = [(each["loss"], each["accuracy"], each["margin"]) for each in records if each["kind"] == "valid"]
    return out, [a + b for a, b in zip(trained, after, strict=True)]


def train_theirs(case, model, tokenizer, lines, folder):
    """Trains the model, and returns the numbers of each step, as train_ours(). With label smoothing a step has a
    batch for each pair, since TRL has calque's loss as the loss "aot" of a single pair."""
    batch = 1 if case.smoothing else len(lines)
    arguments = trl.DPOConfig(
        folder, max_steps=STEPS, per_device_train_batch_size=batch, per_device_eval_batch_size=batch,
        gradient_accumulation_steps=len(lines) // batch, loss_type="aot" if case.smoothing else "sigmoid",
        label_smoothing=case.smoothing / 2, beta=BETA, learning_rate=RATE, lr_scheduler_type="constant",
        weight_decay=DECAY, adam_beta1=0.9, adam_beta2=0.999, adam_epsilon=EPSILON, max_grad_norm=1.0, logging_steps=1,
        eval_strategy="steps", eval_steps=1, save_strategy="no", report_to="none", use_cpu=True, bf16=False,
        gradient_checkpointing=False, disable_tqdm=True)
    data = datasets.Dataset.from_list(lines)
    trainer = trl.DPOTrainer(model, args=arguments, train_dataset=data, eval_dataset=data, processing_class=tokenizer)
    trainer.remove_callback(transformers.PrinterCallback)
    trainer.train()
    history = trainer.state.log_history
    trained = [(each["loss"],) for each in history if "loss" in each]
    after = [(each["eval_loss"], each["eval_rewards/accuracies"], each["eval_rewards/margins"]) for each in history
             if "eval_loss" in each]
    return [a + b for a, b in zip(trained, after, strict=True)]


def weights_of(model, adapter):
    weights = peft.get_peft_model_state_dict(model) if adapter else model.state_dict()
    return {name: x.detach().clone() for name, x in weights.items()}


def without_last_break(template):
    return template.replace(r"\n' }}{% endfor %}",
                            r"' + ('' if loop.last and not add_generation_prompt else '\n') }}{% endfor %}")


def check(case, calque, work):
    name = f"{work}/preferences-{'-'.join(str(case).replace(',', '').replace('<unk>', 'unk').split())}"
    for folder in (name + end for end in ("-theirs", "", "-start", "-start-peft", "-tuned", "-tuned-theirs")):
        shutil.rmtree(folder, ignore_errors=True)
    folder, lines = f"{name}-theirs", lines_of(case)
    template = None
    if case.turns != "none":
        template = calque.call("data", "turns", "--template", "--format", case.turns).rstrip("\n")
    tokenizer = make_model(case, folder, template)
    with tempfile.TemporaryDirectory() as temporary:
        pairs = f"{temporary}/pairs.jsonl"
        with open(pairs, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
        out, ours = train_ours(calque, case, folder, name, pairs)
        model = AutoModelForCausalLM.from_pretrained(folder)
        if case.adapter:
            model = peft.PeftModel.from_pretrained(model, f"{name}-start-peft", is_trainable=True)
        if template:
            tokenizer.chat_template = without_last_break(template)
        before = weights_of(model, case.adapter)
        theirs = train_theirs(case, model, tokenizer, lines, temporary)
    engine = f"trl {trl.__version__}"
    differences = [max(abs(a - b) for a, b in zip(*step)) for step in zip(ours, theirs, strict=True)]
    what = f"{case}: steps, which raise the margin to {theirs[-1][-1]:.2f}"
    passed = report("import", engine, what, STEPS, sum(d <= MOST for d in differences), max(differences), MOST)
    own = load_file(f"{out}/{'adapter_model' if case.adapter else 'model'}.safetensors")
    compared, moved, largest = compare_weights(before, weights_of(model, case.adapter), own, folder, out)
    what = f"{case}: weights after steps that move them by up to {moved:.2g}"
    return passed & report("import", engine, what, len(own), compared, largest, MOST)


def main(program, work):
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    datasets.disable_progress_bars()
    os.environ["TQDM_DISABLE"] = "1"
    torch.set_num_threads(1)
    return all([check(case, Calque(program, None), work) for case in CASES])


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
