#!/usr/bin/env python3
"""Compares imported tokenizers with the libraries that made them, on lines in four scripts.

    check_tokenizers.py CALQUE WORK LINES [TEXT...]

calque prints no ids, but a model with random weights gives different sequences of ids different
vectors or log-probabilities. Therefore, each tokenizer gets a tiny model, which is imported, and the
vector that `calque embed` prints for a line is compared with the vector that transformers computes
from the library's ids. TEXT are files with more lines.
"""
import json
import os
import shutil
import sys
import unicodedata

import numpy
import sentencepiece
import tokenizers
import torch
import transformers
from sentencepiece import sentencepiece_model_pb2
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import BertConfig, BertModel, MarianConfig, MarianMTModel

import library_tokenizers
from interop_run import Calque, read_lines, report
from many_scripts import ManyScripts

CONTEXT = 512
BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PIECES = ["<unk>", "<s>", "</s>", "<mask>"]


def word_piece(lines, lowercase):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(lines, trainers.WordPieceTrainer(
        vocab_size=2000, limit_alphabet=700, special_tokens=BERT, show_progress=False))
    return tokenizer


def words(lines):
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.train_from_iterator(lines, trainers.WordLevelTrainer(
        vocab_size=2000, special_tokens=BERT, show_progress=False))
    return tokenizer


def train_pieces(lines, prefix, **options):
    settings = {"vocab_size": 2000, "character_coverage": 0.99, "minloglevel": 2,
                "hard_vocab_limit": False, **options}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_prefix=prefix,
                                             **settings)
    return f"{prefix}.model"


class OfPieces:
    """tokenizer.json of a SentencePiece model, as transformers writes it, and the ids of
    SentencePiece itself. Those of the library tokenizers can differ: it applies Precompiled to whole
    graphemes and so loses combining characters, and its Strip removes white space that SentencePiece
    keeps."""

    def __init__(self, *arguments, **options):
        self.tokenizer, model = of_pieces(*arguments, **options)
        self.pieces = sentencepiece.SentencePieceProcessor(model_file=model)

    def ids(self, lines):
        return self.pieces.encode(lines)


class OfLibrary:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def ids(self, lines):
        return [own.ids for own in self.tokenizer.encode_batch(lines, add_special_tokens=False)]


class Stripped(OfLibrary):
    """Removes from the lines white space that Strip, but not SentencePiece, removes, and the sign for a
    space."""

    def ids(self, lines):
        for i, line in enumerate(lines):
            lines[i] = line.replace("\u2581", "").strip() or "-"
        return super().ids(lines)


class Composed(OfLibrary):
    """Normalizes lines for which SentencePiece's NFKC, which calque uses, differs from Unicode's: the
    table of SentencePiece does not sort combining marks."""

    def ids(self, lines):
        normalizer = sentencepiece.SentencePieceNormalizer(
            rule_name="nfkc", add_dummy_prefix=False, escape_whitespaces=False,
            remove_extra_whitespaces=False)
        for i, line in enumerate(lines):
            normal = unicodedata.normalize("NFKC", line)
            if normalizer.normalize(line) != normal:
                lines[i] = normal
        return super().ids(lines)


def of_pieces(lines, folder, kind, **options):
    path = train_pieces(lines, f"{folder}/pieces", model_type=kind, control_symbols=["<mask>"],
                        **options)
    proto = sentencepiece_model_pb2.ModelProto.FromString(open(path, "rb").read())
    pieces = [(piece.piece, piece.score) for piece in proto.pieces]
    fallback = proto.trainer_spec.byte_fallback
    if kind == "unigram":
        model = models.Unigram(pieces, proto.trainer_spec.unk_id, fallback)
        before = pre_tokenizers.Metaspace(prepend_scheme="always")
    else:
        ids = {piece: i for i, (piece, _) in enumerate(pieces)}
        merges = [(score, piece[:i], piece[i:]) for piece, score in pieces
                  for i in range(1, len(piece)) if piece[:i] in ids and piece[i:] in ids]
        merges.sort(key=lambda merge: (-merge[0], ids[merge[1]], ids[merge[2]]))
        model = models.BPE(ids, [merge[1:] for merge in merges], unk_token="<unk>", fuse_unk=True,
                           byte_fallback=fallback)
        before = pre_tokenizers.Metaspace(prepend_scheme="always", split=False)
    tokenizer = Tokenizer(model)
    steps = [normalizers.Strip(left=False, right=True),
             normalizers.Replace(Regex(" {2,}"), "\u2581")]
    rules = proto.normalizer_spec.precompiled_charsmap
    if rules:
        steps.insert(0, normalizers.Precompiled(rules))
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = before
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens(PIECES)
    return tokenizer, path


def batches(lists):
    """Batches of the indices of lists of similar length."""
    order = sorted(range(len(lists)), key=lambda i: len(lists[i]))
    return [order[at:at + 64] for at in range(0, len(order), 64)]


def padded(lists):
    ids = torch.zeros(len(lists), max(map(len, lists)), dtype=torch.long)
    attended = torch.zeros_like(ids)
    for row, own in enumerate(lists):
        ids[row, :len(own)] = torch.tensor(own)
        attended[row, :len(own)] = 1
    return ids, attended


def embeddings(model, lists):
    found = [None] * len(lists)
    for batch in batches(lists):
        ids, attended = padded([lists[i] for i in batch])
        hidden = model(input_ids=ids, attention_mask=attended).last_hidden_state
        means = (hidden * attended[..., None]).sum(1) / attended.sum(1, keepdim=True)
        vectors = torch.nn.functional.normalize(means).numpy()
        for i, vector in zip(batch, vectors):
            found[i] = vector
    return numpy.stack(found)


def new_folder(work, name):
    folder = f"{work}/tokenizer-{name}"
    for path in folder, f"{folder}-imported":
        shutil.rmtree(path, ignore_errors=True)
    os.makedirs(folder)
    return folder


def check_encoder(program, folder, name, own, lines, list_alone=False):
    tokenizer, lines = own.tokenizer, list(lines)
    special = BERT[1:] if tokenizer.token_to_id("[CLS]") is not None else PIECES
    keys = ["unk_token", "cls_token", "sep_token", "mask_token"]
    settings = dict(zip(keys, special)) | {"do_lower_case": "uncased" in name}
    with open(f"{folder}/tokenizer_config.json", "w", encoding="utf-8") as file:
        json.dump(settings, file)
    if list_alone:
        tokens = sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1])
        with open(f"{folder}/vocab.txt", "w", encoding="utf-8") as file:
            file.writelines(token + "\n" for token, _ in tokens)
    else:
        tokenizer.save(f"{folder}/tokenizer.json")
    begin, end = tokenizer.token_to_id(special[1]), tokenizer.token_to_id(special[2])
    model = BertModel(BertConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=32, intermediate_size=32,
        num_hidden_layers=1, num_attention_heads=2, max_position_embeddings=CONTEXT,
        initializer_range=0.5)).eval()
    model.save_pretrained(folder)

    theirs = embeddings(model, [[begin, *ids, end] for ids in own.ids(lines)])
    calque = Calque(program, f"{folder}-imported")
    calque.call("import", folder, "--run", calque.run)
    out = calque.call("embed", calque.run, text="".join(line + "\n" for line in lines))
    ours = numpy.loadtxt(out.splitlines(), dtype=numpy.float32, ndmin=2)
    differing = numpy.flatnonzero(numpy.abs(ours - theirs).max(axis=1) > 1e-5)
    for i in differing[:5]:
        tokens = [tokenizer.id_to_token(token) for token in own.ids([lines[i]])[0]]
        print(f"  {name}: {lines[i]!r}\n    {tokens}", file=sys.stderr)
    engine = sentencepiece if isinstance(own, OfPieces) else tokenizers
    return report(name, f"{engine.__name__} {engine.__version__}", "ids of lines", len(lines),
                  len(lines) - len(differing))


def check_marian(program, folder, name, lines):
    """Checks source.spm and target.spm with lists of tokens in another order."""
    encoders, numbers = [], {"</s>": 0, "<unk>": 1}
    for side, kind in ("source", "unigram"), ("target", "bpe"):
        path = train_pieces(lines, f"{folder}/{side}", model_type=kind, bos_id=-1, eos_id=0,
                            unk_id=1)
        os.rename(path, f"{folder}/{side}.spm")
        encoders.append(sentencepiece.SentencePieceProcessor(model_file=f"{folder}/{side}.spm"))
    vocabularies = []
    for encoder, file in zip(encoders, ["vocab.json", "target_vocab.json"]):
        pieces = [encoder.id_to_piece(i) for i in range(2, len(encoder))]
        ids = numbers | {piece: i for i, piece in enumerate(reversed(pieces), 2)}
        ids["<pad>"] = len(ids)
        vocabularies.append(ids)
        with open(f"{folder}/{file}", "w", encoding="utf-8") as out:
            json.dump(ids, out)
    with open(f"{folder}/tokenizer_config.json", "w", encoding="utf-8") as file:
        json.dump({"tokenizer_class": "MarianTokenizer", "source_lang": "a", "target_lang": "b",
                   "separate_vocabs": True}, file)
    sizes = [len(ids) for ids in vocabularies]
    model = MarianMTModel(MarianConfig(
        vocab_size=sizes[0], decoder_vocab_size=sizes[1], share_encoder_decoder_embeddings=False,
        tie_word_embeddings=False, d_model=32, encoder_layers=1, decoder_layers=1,
        encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=32,
        decoder_ffn_dim=32, activation_function="swish", scale_embedding=True, init_std=0.3,
        max_position_embeddings=CONTEXT, pad_token_id=sizes[1] - 1, eos_token_id=0,
        bos_token_id=0, decoder_start_token_id=sizes[1] - 1, forced_eos_token_id=0)).eval()
    model.save_pretrained(folder)

    source, target = [
        [[ids.get(piece, 1) for piece in pieces] + [0] for pieces in encoder.encode(lines, out_type=str)]
        for encoder, ids in zip(encoders, vocabularies)]
    theirs = [None] * len(lines)
    for batch in batches(source):
        ids, attended = padded([source[i] for i in batch])
        expected, present = padded([target[i] for i in batch])
        reads = torch.full_like(expected, sizes[1] - 1)
        reads[:, 1:] = expected[:, :-1]
        logits = model(input_ids=ids, attention_mask=attended, decoder_input_ids=reads).logits
        logs = logits.double().log_softmax(-1)
        sums = (logs.gather(2, expected[..., None])[..., 0] * present).sum(1)
        for i, total in zip(batch, sums.tolist()):
            theirs[i] = total
    calque = Calque(program, f"{folder}-imported")
    calque.call("import", folder, "--run", calque.run)
    with open(f"{folder}/lines", "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)
    same, shown = 0, 0
    for i, (total, tokens) in enumerate(calque.score(f"{folder}/lines", f"{folder}/lines")):
        equal = tokens == len(target[i]) and abs(total - theirs[i]) <= 2e-4 + 1e-5 * abs(total)
        same += equal
        if not equal and shown < 5:
            shown += 1
            print(f"  {name}: {lines[i]!r} {tokens} {total}\n    {len(target[i])} {theirs[i]} "
                  f"{encoders[0].encode(lines[i], out_type=str)}", file=sys.stderr)
    return report(name, f"sentencepiece {sentencepiece.__version__}", "ids of lines", len(lines),
                  same)


@torch.inference_mode()
def main(program, work, count, *files):
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    text = ManyScripts()
    more = [line for file in files for line in read_lines(file, int(count) // 10) if line.strip()]
    trained_on = text.lines(10_000, 1) + more
    lines = (more + text.lines(int(count), 2))[:int(count)]
    makers = {
        "WordPiece, uncased": lambda folder: OfLibrary(word_piece(trained_on, True)),
        "WordPiece, cased": lambda folder: OfLibrary(word_piece(trained_on, False)),
        "Unigram of tokenizers": lambda folder: Stripped(library_tokenizers.unigram(trained_on, 2000, PIECES)),
        "Unigram of SentencePiece": lambda folder: OfPieces(trained_on, folder, "unigram"),
        "BPE of SentencePiece": lambda folder: OfPieces(trained_on, folder, "bpe"),
        "BPE of SentencePiece, with bytes": lambda folder: OfPieces(
            trained_on, folder, "bpe", byte_fallback=True, normalization_rule_name="identity"),
        "byte-level BPE": lambda folder: OfLibrary(library_tokenizers.byte_level(trained_on, 3000, BERT)),
        "words": lambda folder: Composed(words(trained_on)),
    }
    passed = True
    for number, (name, make) in enumerate(makers.items()):
        folder = new_folder(work, number)
        passed &= check_encoder(program, folder, f"tokenizer.json: {name}", make(folder), lines)
    for name, lowercase in ("uncased", True), ("cased", False):
        passed &= check_encoder(program, new_folder(work, name), f"vocab.txt: WordPiece, {name}",
                                OfLibrary(word_piece(trained_on, lowercase)), lines,
                                list_alone=True)
    return passed & check_marian(program, new_folder(work, "marian"),
                                 "source.spm, target.spm with lists", lines)


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
