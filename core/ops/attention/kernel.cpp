#include "core/ops/attention/kernel.h"

#include "core/simd/folds.h"

namespace calque::attention_kernel {

int64_t Problem::items_per_chunk() const {
  const int64_t sentences = std::max<int64_t>(1, queries.count());
  const int64_t cost =
      (queries.tokens() / sentences + 1) * (keys.tokens() / sentences + 1) * head_size;
  return std::clamp<int64_t>(400000 / std::max<int64_t>(1, cost), 1, 64);
}

Item::Item(const Problem& p, int64_t number)
    : problem(&p),
      head(number % p.heads),
      col(head * p.head_size),
      key_col(head / p.group() * p.head_size) {
  const int64_t sentence = number / p.heads;
  first_query = p.queries.begin(sentence);
  first_key = p.keys.begin(sentence);
  queries = p.queries.length(sentence);
  keys = p.keys.length(sentence);
}

std::vector<KeyRange> Item::seen(int64_t i) const {
  if (sparse()) return keys_seen(problem->sparsity, i, keys, problem->causal);
  return {{0, visible(i)}};
}

ScoreBlock::ScoreBlock(const Item& of, int64_t begin)
    : item(&of), first_query(begin), queries(std::min(query_block, of.queries - begin)) {
  span.end = of.visible(begin + queries - 1);
  if (of.sparse()) find_spans();
  first_key = span.begin;
}

// Either all queries of a sparse block are global, or all see the same random blocks of keys.
void ScoreBlock::find_spans() {
  const Sparsity& sparsity = item->problem->sparsity;
  queries = std::min(queries, end_of_like_queries(sparsity, first_query, item->keys) - first_query);
  const int64_t last = first_query + queries - 1;
  span.end = item->visible(last);
  if (first_query < sparsity.global) return;
  span = {.begin = std::max(sparsity.global, first_query - sparsity.reach()),
          .end = std::min(span.end, last + sparsity.reach() + 1),
          .window = true};
  for (const KeyRange& range :
       random_ranges(sparsity, first_query, item->keys, item->problem->causal)) {
    later.push_back({.begin = range.begin, .end = range.end});
  }
  if (sparsity.global > 0) later.push_back({.begin = 0, .end = sparsity.global});
}

bool ScoreBlock::next_keys() {
  first_key += keys;
  if (first_key >= span.end && !later.empty()) {
    span = later.back();
    later.pop_back();
    first_key = span.begin;
  }
  keys = std::min(key_block, span.end - first_key);
  return keys > 0;
}

namespace {

// The transpose of `count` rows of lanes numbers; columns beyond count are zero.
void transpose_square(Rows from, int64_t count, real* to, int64_t to_stride) {
  Vec square[lanes];
  for (int64_t i = 0; i < lanes; ++i) square[i] = i < count ? load(from.from(i, 0).data) : Vec{};
  transpose(square);
  for (int64_t i = 0; i < lanes; ++i) store(to + i * to_stride, square[i]);
}

}  // namespace

void transpose_into_panels(Rows rows, int64_t n, int64_t head_size, real* panels) {
  const int64_t total = round_up(n), whole = head_size / lanes * lanes;
  for (int64_t first = 0; first < total; first += tile_cols) {
    const int64_t width = std::min(tile_cols, total - first);
    for (int64_t j = first; j < first + width; j += lanes) {
      real* to = panels + first * head_size + (j - first);
      const int64_t count = std::min(lanes, n - j);
      for (int64_t k = 0; k < whole; k += lanes) {
        transpose_square(rows.from(j, k), count, to + k * width, width);
      }
      for (int64_t k = whole; k < head_size; ++k) {
        for (int64_t i = 0; i < lanes; ++i) {
          to[k * width + i] = i < count ? rows.from(j + i, k).data[0] : 0;
        }
      }
    }
  }
}

void multiply_by_panels(const ScoreBlock& block, Rows keys, const real* panels, real scale,
                        real* scores) {
  const int64_t head_size = block.item->problem->head_size, cols = block.cols();
  const Rows rows = keys.from(block.first_key, 0);
  for (int64_t at = 0; at < cols; at += tile_cols) {
    const int64_t width = std::min(tile_cols, cols - at);
    tile_product({block.keys, width, head_size}, {rows.data, rows.stride, 1},
                 panels + at * head_size, width, {{scores + at, false}, cols, scale});
  }
}

namespace {

void mask_outside_windows(const ScoreBlock& block, real number, real* scores) {
  const Sparsity& sparsity = block.item->problem->sparsity;
  const int64_t reach = sparsity.reach();
  for (int64_t j = 0; j < block.keys; ++j, scores += block.cols()) {
    // The first query of the block is at this distance from the key.
    const int64_t distance = block.first_query - (block.first_key + j);
    const int64_t first = std::clamp<int64_t>(-reach - distance, 0, block.queries);
    const int64_t end = std::clamp<int64_t>(reach + 1 - distance, 0, block.queries);
    std::fill_n(scores, first, number);
    std::fill(scores + end, scores + block.queries, number);
    for (int64_t i = first; i < end && sparsity.dilation > 1; ++i) {
      if ((distance + i) % sparsity.dilation != 0) scores[i] = number;
    }
  }
}

}  // namespace

void mask_unseen(const ScoreBlock& block, real number, real* scores) {
  const Item& item = *block.item;
  if (block.span.window) mask_outside_windows(block, number, scores);
  if (!item.problem->causal) return;
  for (int64_t j = 0; j < block.keys; ++j) {
    // Query i sees the keys before i + 1 + keys - queries.
    const int64_t before = block.first_key + j + item.queries - item.keys - block.first_query;
    std::fill_n(scores + j * block.cols(), std::clamp<int64_t>(before, 0, block.queries), number);
  }
}

int64_t dropout_factors(const ScoreBlock& block, real* factors) {
  const Item& item = *block.item;
  const Problem& p = *item.problem;
  const int64_t first_row = item.head * p.keys.tokens() + item.first_key + block.first_key;
  if (p.mask_row <= query_block &&
      block.first_query == 0) {  // one block of queries, whose rows are contiguous
    p.mask.factors(first_row * p.mask_row, block.keys * p.mask_row, factors);
    return p.mask_row;
  }
  for (int64_t j = 0; j < block.keys; ++j) {
    p.mask.factors((first_row + j) * p.mask_row + block.first_query, block.cols(),
                   factors + j * query_block);
  }
  return query_block;
}

int64_t copy_size(Rows rows, int64_t n, int64_t head_size) {
  const bool conflict = n > 64 && conflicts(rows.stride);
  return head_size % lanes != 0 || conflict ? n * round_up(head_size) : 0;
}

Rows right_side(Rows rows, int64_t n, int64_t head_size, real* copy) {
  if (copy_size(rows, n, head_size) == 0) return rows;
  const int64_t width = round_up(head_size);
  for (int64_t i = 0; i < n; ++i) {
    std::copy_n(rows.data + i * rows.stride, head_size, copy + i * width);
    std::fill(copy + i * width + head_size, copy + (i + 1) * width, real(0));
  }
  return {copy, width};
}

}  // namespace calque::attention_kernel
