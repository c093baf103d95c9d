#!/usr/bin/env python3
"""Compares the export of a translator with transformers itself: the ids of the tokenizer, the
log-probabilities of given translations, and greedy and beam search.

    check_huggingface.py CALQUE RUN EXPORT SOURCE TARGET [SENTENCES]
"""
import os
import sys
import warnings

import sentencepiece
import torch
import transformers
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

from interop_run import Calque, read_lines, report, report_tokens


def main(program, run, export, source, target, sentences="1000"):
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    calque = Calque(program, run)
    tokenizer = AutoTokenizer.from_pretrained(export)
    model, loading = AutoModelForSeq2SeqLM.from_pretrained(export, output_loading_info=True)
    model.eval()
    unexpected = [name for kind in ("missing_keys", "unexpected_keys", "mismatched_keys")
                  for name in loading[kind]]
    if unexpected:
        sys.exit(f"{export}: transformers does not load {unexpected}")
    engine = f"transformers {transformers.__version__}"
    format = f"huggingface {type(model).__name__}"
    name = os.path.basename(run)
    count = int(sentences)
    lines, targets = read_lines(source, count), read_lines(target, count)

    pieces = sentencepiece.SentencePieceProcessor(model_file=f"{export}/source.spm")
    passed = report_tokens(format, engine, f"{name}: ids of the tokenizer",
                           [ids + [pieces.eos_id()] for ids in pieces.encode(lines)],
                           tokenizer(lines).input_ids)

    batches = [slice(i, i + 100) for i in range(0, len(lines), 100)]
    largest, same_lengths, ours = 0.0, 0, calque.score(source, target)[:count]
    with torch.inference_mode():
        for batch in batches:
            inputs = tokenizer(lines[batch], return_tensors="pt", padding=True)
            expected = tokenizer(text_target=targets[batch]).input_ids
            longest = max(map(len, expected))
            labels = torch.tensor([ids + [-1] * (longest - len(ids)) for ids in expected])
            start = torch.full((len(labels), 1), model.config.decoder_start_token_id)
            reads = torch.cat([start, labels[:, :-1].clamp(min=0)], dim=1)
            scores = model(**inputs, decoder_input_ids=reads).logits.log_softmax(-1)
            taken = scores.gather(2, labels.clamp(min=0)[:, :, None])[:, :, 0] * (labels >= 0)
            for ids, total, (log_probability, n) in zip(expected, taken.sum(1), ours[batch]):
                same_lengths += len(ids) == n
                largest = max(largest, abs(total.item() - log_probability) / n)
        passed &= report(format, engine, f"{name}: log-probability per token", len(lines),
                         same_lengths, largest, 1e-4)
        for beam in 1, 5:
            theirs = []
            for batch in batches:
                inputs = tokenizer(lines[batch], return_tensors="pt", padding=True)
                out = model.generate(**inputs, num_beams=beam, early_stopping=beam > 1,
                                     length_penalty=1.0, max_length=101,  # with <s>
                                     suppress_tokens=[tokenizer.unk_token_id,
                                                      model.config.bos_token_id])
                theirs += tokenizer.batch_decode(out, skip_special_tokens=True)
            what = "greedy" if beam == 1 else f"beam {beam}"
            passed &= report_tokens(format, engine, f"{name}: {what}",
                                    calque.translate(lines, beam, allow_unknown=False), theirs)
    return passed


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
