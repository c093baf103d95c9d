#include "nn/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/attention_result.h"
#include "core/error.h"
#include "core/logit_block.h"

namespace calque {
namespace {

// One kind of block: what each of its copies has, and does for each token and each pair.
struct Block {
  std::string name;
  int64_t copies = 0;
  int64_t parameters = 0;
  AttentionWork flops;  // for one source token, one target token, one pair of each kind

  double flops_for(const AttentionWork& work) const {
    const double one =
        flops.source_tokens * work.source_tokens + flops.target_tokens * work.target_tokens +
        flops.source_pairs * work.source_pairs + flops.target_pairs * work.target_pairs +
        flops.cross_pairs * work.cross_pairs;
    return static_cast<double>(copies) * one;
  }
};

int64_t linear_parameters(int64_t in, int64_t out) { return in * out + out; }

std::vector<Block> embedding_blocks(const TransformerOptions& o) {
  const int64_t d = o.d_model;
  std::vector<Block> blocks;
  if (o.tying == Tying::all) {
    blocks.push_back({"embedding (source, target, output)", 1, o.source_vocabulary * d, {}});
  } else {
    const char* target =
        o.tying == Tying::target ? "target embedding (and output)" : "target embedding";
    blocks.push_back({"source embedding", 1, o.source_vocabulary * d, {}});
    blocks.push_back({target, 1, o.target_vocabulary * d, {}});
  }
  if (o.positions == PositionKind::learned) {
    blocks.push_back({"positions", 2, o.max_positions * d, {}});
  }
  return blocks;
}

// SwiGLU has a third matrix.
int64_t inner_width(const TransformerOptions& o) {
  return (o.feed_forward == FeedForwardKind::swiglu ? 2 : 1) * o.d_ff;
}

std::vector<Block> blocks_of(const TransformerOptions& o) {
  const int64_t d = o.d_model;
  const auto square = static_cast<double>(2 * d * d);  // FLOPs of a [d, d] product for one token
  const auto pair = static_cast<double>(4 * d);
  const int64_t attention = 4 * linear_parameters(d, d);
  const int64_t norm = (o.norm == NormKind::layer ? 2 : 1) * d;
  const int64_t last_norm = o.norm_placement == NormPlacement::pre ? 1 : 0;
  const int64_t inner = inner_width(o);
  const int64_t feed_forward = linear_parameters(d, inner) + linear_parameters(o.d_ff, d);
  const auto feeding = static_cast<double>(2 * d * (inner + o.d_ff));
  const int64_t vocabulary = o.target_vocabulary;

  std::vector<Block> blocks = embedding_blocks(o);
  blocks.push_back({"encoder self-attention",
                    o.encoder_layers,
                    attention,
                    {.source_tokens = 4 * square, .source_pairs = pair}});
  blocks.push_back(
      {"encoder feed-forward", o.encoder_layers, feed_forward, {.source_tokens = feeding}});
  blocks.push_back({"encoder norms", 2 * o.encoder_layers + last_norm, norm, {}});
  blocks.push_back({"decoder self-attention",
                    o.decoder_layers,
                    attention,
                    {.target_tokens = 4 * square, .target_pairs = pair}});
  blocks.push_back(
      {"decoder cross-attention",
       o.decoder_layers,
       attention,
       {.source_tokens = 2 * square, .target_tokens = 2 * square, .cross_pairs = pair}});
  blocks.push_back(
      {"decoder feed-forward", o.decoder_layers, feed_forward, {.target_tokens = feeding}});
  blocks.push_back({"decoder norms", 3 * o.decoder_layers + last_norm, norm, {}});
  blocks.push_back(
      {"output projection",
       1,
       (o.tying == Tying::none ? vocabulary * d : 0) + (o.output_bias ? vocabulary : 0),
       {.target_tokens = static_cast<double>(2 * vocabulary * d)}});
  return blocks;
}

// Numbers that the tape keeps, for a batch of one source token or one target token. A closure keeps
// what its gradient needs: a product its input, a norm its result and a number a row, attention its
// queries, keys and values, and its result where that is not made again. Residuals, dropout and
// positions keep nothing.
struct TapeNumbers {
  double source_token, target_token, batch;
};

TapeNumbers kept_by_tape(const TransformerOptions& o, const SummaryBatch& batch) {
  const auto d = static_cast<double>(o.d_model);
  const auto f = static_cast<double>(o.d_ff);
  const auto heads = static_cast<double>(o.heads);
  const bool pre = o.norm_placement == NormPlacement::pre;
  const double norm = d + 1;
  const auto result = [&](double keys) {  // of so many that a query sees
    return attention_is_made_again(keys, 1, o.d_model) ? 0 : d;
  };
  const double attention = d + 2 * heads;  // the queries, and two scales a head
  const double source_attention = attention + 2 * d + result(batch.source_length);
  const double target_attention = attention + 2 * d + result((batch.target_length + 1) / 2);
  const double cross_attention = attention + result(batch.source_length);
  // What the second product reads, and what the activation was applied to; relu needs only its
  // result, which the product reads too unless some of it was dropped out.
  double inner = f + static_cast<double>(inner_width(o));
  if (o.feed_forward == FeedForwardKind::relu && o.activation_dropout == 0) inner = f;
  const double around = pre ? norm : d;  // the last norm, or the first layer's input
  const auto encoders = static_cast<double>(o.encoder_layers);
  const auto decoders = static_cast<double>(o.decoder_layers);
  // The loss forms its gradients in the forward pass: of the weights, and of the last hidden
  // vectors.
  const auto table = static_cast<double>(o.target_vocabulary) * d;
  return {
      .source_token = encoders * (source_attention + inner + 2 * norm) + decoders * 2 * d + around,
      .target_token =
          decoders * (target_attention + cross_attention + inner + 3 * norm) + around + d,
      .batch = table};
}

// The logits of as many tokens as the loss takes at once or, later, the widest gradients that meet
// in the backward pass of a layer.
double working_numbers(const TransformerOptions& o, const SummaryBatch& batch) {
  const int64_t tokens = std::max(batch.source_tokens, batch.target_tokens);
  const int64_t logits = batch.passes *
                         std::min(logit_block_rows(o.target_vocabulary), batch.target_tokens) *
                         o.target_vocabulary;
  return static_cast<double>(std::max(logits, tokens * (inner_width(o) + o.d_ff + 4 * o.d_model)));
}

ModelSummary::Memory memory_of(const TransformerOptions& options, const SummaryBatch& batch,
                               int64_t parameters) {
  const TapeNumbers kept = kept_by_tape(options, batch);
  const double each = static_cast<double>(parameters) * sizeof(real);
  const double one_pass = kept.source_token * static_cast<double>(batch.source_tokens) +
                          kept.target_token * static_cast<double>(batch.target_tokens);
  const double numbers = static_cast<double>(batch.passes) * one_pass + kept.batch;
  return {.parameters = each,
          .gradients = each,
          .optimiser = each * static_cast<double>(batch.moments),
          .activations = numbers * sizeof(real),
          .working = working_numbers(options, batch) * sizeof(real),
          .accumulated = batch.accumulated};
}

std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string row(const ModelSummary::Part& part, int64_t all) {
  const double share = 100 * static_cast<double>(part.parameters) / static_cast<double>(all);
  const auto millions = [](double flops) {
    return flops > 0 ? fmt::format("{:.3f}", flops * 1e-6) : std::string("-");
  };
  return fmt::format("{:<36}{:>14}{:>7.1f}%{:>18}{:>18}\n", part.name, grouped(part.parameters),
                     share, millions(part.flops_per_source_token),
                     millions(part.flops_per_target_token));
}

}  // namespace

AttentionWork AttentionWork::of(const Segments& source, const Segments& target) {
  require(source.count() == target.count(), "AttentionWork: {} source and {} target sentences",
          source.count(), target.count());
  AttentionWork work{.source_tokens = static_cast<double>(source.tokens()),
                     .target_tokens = static_cast<double>(target.tokens())};
  for (int64_t i = 0; i < source.count(); ++i) {
    const double s = source.length(i);
    const double t = target.length(i);
    work.source_pairs += s * s;
    work.target_pairs += t * (t + 1) / 2;
    work.cross_pairs += s * t;
  }
  return work;
}

double forward_flops(const TransformerOptions& options, const AttentionWork& work) {
  double sum = 0;
  for (const Block& block : blocks_of(options)) sum += block.flops_for(work);
  return sum;
}

ModelSummary summarise(const TransformerOptions& options, const SummaryBatch& batch) {
  validate(options);
  const AttentionWork source{.source_tokens = 1, .source_pairs = batch.source_length};
  const AttentionWork target{.target_tokens = 1,
                             .target_pairs = (batch.target_length + 1) / 2,
                             .cross_pairs = batch.source_length};
  ModelSummary summary;
  summary.batch = batch;
  summary.total.name = "in all";
  for (const Block& block : blocks_of(options)) {
    summary.parts.push_back({block.name, block.copies * block.parameters, block.flops_for(source),
                             block.flops_for(target)});
    summary.total.parameters += summary.parts.back().parameters;
    summary.total.flops_per_source_token += summary.parts.back().flops_per_source_token;
    summary.total.flops_per_target_token += summary.parts.back().flops_per_target_token;
  }
  summary.memory = memory_of(options, batch, summary.total.parameters);
  return summary;
}

std::string ModelSummary::text() const {
  std::string text = fmt::format("{:<36}{:>14}{:>8}{:>18}{:>18}\n", "part", "parameters", "share",
                                 "MFLOPs/source", "MFLOPs/target");
  for (const Part& part : parts) text += row(part, total.parameters);
  text += row(total, total.parameters);
  const auto mebibytes = [](double bytes) { return bytes / (1 << 20); };
  text += fmt::format(
      "FLOPs are a token's in the forward pass, in sentences of {:.0f} and {:.0f} tokens; training "
      "takes 3 times as many.\n",
      batch.source_length, batch.target_length);
  text += fmt::format(
      "A step of {} + {} tokens needs about {:.0f} MiB: parameters {:.0f}, optimiser {:.0f}, "
      "activations {:.0f}{} gradients {:.0f}, working space {:.0f}.\n",
      grouped(batch.source_tokens), grouped(batch.target_tokens), mebibytes(memory.total()),
      mebibytes(memory.parameters), mebibytes(memory.optimiser), mebibytes(memory.activations),
      memory.accumulated ? "," : " and in their place", mebibytes(memory.gradients),
      mebibytes(memory.working));
  return text;
}

}  // namespace calque
