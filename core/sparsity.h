#pragma once
// Sparse self-attention: which keys of its sentence a query sees. A query sees a window around
// itself, which may be dilated, the global tokens at the start of the sentence, and a few random
// blocks of keys; a global token sees all keys (Beltagy et al. 2020: Longformer; Zaheer et al.
// 2020: BigBird). The work grows linearly with the length of the sentence.

#include <cstdint>
#include <vector>

namespace calque {

struct Sparsity {
  int64_t window = 0;        // keys on each side of a query; 0: every query sees every key
  int64_t dilation = 1;      // the distance between neighbouring keys of the window
  int64_t dilated_from = 0;  // the first layer with dilation
  int64_t global = 0;        // the first tokens of a sentence: they see all keys, all see them
  int64_t random = 0;        // blocks of keys that each block of queries sees beside its window
  int64_t block = 64;        // tokens of such a block; the first begins after the global tokens
  int64_t seed = 1;          // of the random blocks
  int64_t layer = 0;         // number of the layer; each layer draws other blocks
  int64_t full_every = 0;    // the last of so many layers sees all keys; 0: no layer does

  bool operator==(const Sparsity&) const = default;

  // The sparsity of one layer of a stack.
  Sparsity at_layer(int64_t number) const;
  // The distance of the window's last key.
  int64_t reach() const { return window * dilation; }
  // If false, each query of a sentence of this length sees all keys that the causal mask allows.
  bool restricts(int64_t length) const {
    return window > 0 && (dilation > 1 || window < length - 1);
  }
  // Whether one of the two is global or the key is in the query's window. Requires window > 0.
  bool near(int64_t query, int64_t key) const {
    const int64_t distance = query < key ? key - query : query - key;
    return query < global || key < global || (distance <= reach() && distance % dilation == 0);
  }
};

// Every `step`-th key of [begin, end).
struct KeyRange {
  int64_t begin = 0, end = 0, step = 1;
  int64_t count() const { return (end - begin + step - 1) / step; }
  bool operator==(const KeyRange&) const = default;
};

// The keys that query i of a sentence of `length` tokens sees: ranges that are not empty and do not
// overlap. With `causal` no key is after i, and the result does not depend on the length.
std::vector<KeyRange> keys_seen(const Sparsity& sparsity, int64_t query, int64_t length,
                                bool causal);

// The random blocks of keys that the block of a query sees, as ranges in ascending order. They do
// not overlap the window of any query of the block, nor the global tokens.
std::vector<KeyRange> random_ranges(const Sparsity& sparsity, int64_t query, int64_t length,
                                    bool causal);

// The end of the run of queries from `query` on that see the same global tokens and random blocks.
int64_t end_of_like_queries(const Sparsity& sparsity, int64_t query, int64_t length);

// The number of pairs of a query and a key that it sees.
double pairs_seen(const Sparsity& sparsity, int64_t length, bool causal);

}  // namespace calque
