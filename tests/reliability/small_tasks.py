"""Small configs of all tasks but word2vec. The scripts complete them with their own sections."""

TEXT = """
data:
  train: {toy: toy-text, pairs: 60}
  validation: {toy: toy-text, pairs: 8}
  context: 32
tokenizer: {kind: characters}
model: {d_model: %d, d_ff: %d, heads: 2, layers: 1}
"""
LABELLED = """
data:
  train: {toy: toy-en-de, pairs: 200}
  validation: {toy: toy-en-de, pairs: 10}
  context: 32
tokenizer: {kind: words}
model: {d_model: %d, d_ff: %d, heads: 2, layers: 1}
"""
TASKS = {
    "translation": """
data:
  train: {toy: reverse, pairs: 300, longest: 6}
  validation: {toy: reverse, pairs: 20, longest: 6}
tokenizer: {kind: words}
model: {d_model: %d, d_ff: %d, heads: 2, encoder_layers: 1, decoder_layers: 1}
""",
    "language-model": "task: language-model\n" + TEXT,
    "masked-lm": "task: masked-lm\n" + TEXT,
    "classification": "task: classification\n" + LABELLED,
    "tagging": "task: tagging\n" + LABELLED,
    "images": """
task: images
data:
  train: {toy: shapes, pairs: 200}
  validation: {toy: shapes, pairs: 10}
model: {patch: 4, d_model: %d, d_ff: %d, heads: 2, layers: 1}
""",
}


def small_config(task, d_model=16, d_ff=32):
    return TASKS[task] % (d_model, d_ff)
