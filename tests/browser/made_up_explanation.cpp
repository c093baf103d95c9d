// The heads have the patterns of trained heads: attention to the left, to the right, to the token
// itself, along the alignment, and to everything.
#include "browser/made_up_explanation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <utility>

namespace calque::tests {
namespace {

constexpr int layers = 3, heads = 4;
constexpr int64_t d_model = 128;

int32_t id_of(Explanation& explanation, const std::string& token) {
  auto& vocabulary = explanation.vocabulary;
  const auto found = std::find(vocabulary.begin(), vocabulary.end(), token);
  if (found != vocabulary.end()) return static_cast<int32_t>(found - vocabulary.begin());
  vocabulary.push_back(token);
  return static_cast<int32_t>(vocabulary.size()) - 1;
}

std::vector<int32_t> ids_of(Explanation& explanation, const std::vector<std::string>& tokens) {
  std::vector<int32_t> ids;
  for (const std::string& token : tokens) ids.push_back(id_of(explanation, token));
  return ids;
}

float fraction(std::mt19937& random) {
  return static_cast<float>(static_cast<double>(random()) / 4294967296.0);
}

// Softmax of score(row, column) plus noise; 0 where the score is below -100.
ExplainedMatrix attention(int64_t rows, int64_t columns, std::mt19937& random,
                          const std::function<double(int64_t, int64_t)>& score) {
  ExplainedMatrix matrix{rows, columns, {}};
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<double> mass;
    double sum = 0;
    for (int64_t column = 0; column < columns; ++column) {
      const double value = score(row, column);
      mass.push_back(value < -100 ? 0 : std::exp(value + 1.2 * fraction(random)));
      sum += mass.back();
    }
    for (const double m : mass) matrix.values.push_back(static_cast<float>(m / sum));
  }
  return matrix;
}

void add_attention(Explanation& explanation, const std::vector<int64_t>& alignment,
                   std::mt19937& random) {
  const auto source = static_cast<int64_t>(explanation.source_tokens.size());
  const auto target = static_cast<int64_t>(explanation.target_tokens.size());
  const auto pattern = [](int head, int layer, int64_t row, int64_t column) {
    const double sharp = 2.0 + layer;
    const double distance = static_cast<double>(column - row);
    if (head == 0) return -sharp * std::abs(distance + 1);
    if (head == 1) return -sharp * std::abs(distance - 1);
    return head == 2 ? -0.8 * std::abs(distance) : 0.1 * distance;
  };
  for (int layer = 0; layer < layers; ++layer) {
    for (int head = 0; head < heads; ++head) {
      explanation.encoder_self.push_back(
          {layer, head, attention(source, source, random, [&](int64_t r, int64_t c) {
             return pattern(head, layer, r, c);
           })});
      explanation.decoder_self.push_back(
          {layer, head, attention(target, target, random, [&](int64_t r, int64_t c) {
             return c > r ? -1000 : pattern(head, layer, r, c);
           })});
      explanation.cross.push_back(
          {layer, head, attention(target, source, random, [&](int64_t r, int64_t c) {
             const double away =
                 std::abs(static_cast<double>(c - alignment[static_cast<size_t>(r)]));
             return head == 3 ? (c == source - 1 ? 2.0 : 0.0) : -(0.6 + layer + head * 0.4) * away;
           })});
    }
  }
}

void add_logits(Explanation& explanation, std::mt19937& random) {
  for (const int32_t token : explanation.target_tokens) {
    std::vector<float> logits;
    for (size_t id = 0; id < explanation.vocabulary.size(); ++id) {
      logits.push_back(6 * fraction(random) * fraction(random) * fraction(random) - 4);
    }
    for (int rival = 0; rival < 6; ++rival) {
      logits[random() % logits.size()] = 1 + 4 * fraction(random) - static_cast<float>(rival);
    }
    logits[static_cast<size_t>(token)] = 4 + 6 * fraction(random);
    explanation.logits.push_back(logits);
  }
}

void add_positions(Explanation& explanation) {
  constexpr int64_t rows = 48;
  explanation.positions = {rows, d_model, {}};
  for (int64_t position = 0; position < rows; ++position) {
    for (int64_t i = 0; i < d_model; ++i) {
      const int64_t pair = i / 2;
      const double rate = std::pow(10000.0, -2 * static_cast<double>(pair) / d_model);
      const double angle = static_cast<double>(position) * rate;
      explanation.positions.values.push_back(
          static_cast<float>(i % 2 == 0 ? std::sin(angle) : std::cos(angle)));
    }
  }
}

// Adds in each step three hypotheses, the first of which follows the translation, and a pruned one.
void add_beam(Explanation& explanation, std::mt19937& random) {
  std::vector<int> alive = {-1};
  int best = -1;
  const auto log_probability = [&](int node) {
    return node < 0 ? 0.0F : explanation.beam[static_cast<size_t>(node)].log_probability;
  };
  const auto add = [&](int parent, int32_t token, float cost, BeamFate fate) {
    const float total = log_probability(parent) - cost;
    explanation.beam.push_back({parent, token, total, total, fate});
    return static_cast<int>(explanation.beam.size()) - 1;
  };
  const size_t steps = explanation.target_tokens.size();
  for (size_t step = 0; step < steps; ++step) {
    const bool last = step + 1 == steps;
    std::vector<int> next = {add(best, explanation.target_tokens[step],
                                 0.05F + 0.3F * fraction(random),
                                 last ? BeamFate::best : BeamFate::kept)};
    best = next.front();
    for (int other = 1; other < 4; ++other) {
      const int parent = alive[random() % alive.size()];
      const auto token = static_cast<int32_t>(3 + random() % 40);
      const bool kept = other < 3;
      const int node = add(parent, token, 0.6F + fraction(random) * static_cast<float>(other),
                           !kept  ? BeamFate::pruned
                           : last ? BeamFate::finished
                                  : BeamFate::kept);
      if (kept) next.push_back(node);
    }
    alive = next;
  }
}

void add_neighbours(Explanation& explanation) {
  for (const int32_t token : explanation.target_tokens) {
    if (token == 2) continue;  // </s>
    explanation.neighbours.push_back({token, {}});
    for (int32_t other = 0; other < 6; ++other) {
      explanation.neighbours.back().nearest.push_back(
          {3 + other, 0.9F - 0.1F * static_cast<float>(other)});
    }
  }
}

Explanation explained(const std::vector<std::string>& source,
                      const std::vector<std::string>& target,
                      const std::vector<int64_t>& alignment) {
  Explanation explanation;
  std::mt19937 random(7);
  explanation.vocabulary = {"<unk>", "<s>", "</s>"};
  explanation.source_tokens = ids_of(explanation, source);
  explanation.target_tokens = ids_of(explanation, target);
  for (const char* word : {"▁die", "▁das", "▁dem", "▁ein", "▁eine", "▁Meer", "▁See", "▁Brief",
                           "▁schreibt", "▁Haus", "▁und", "▁zu", "▁nach", "▁von"}) {
    id_of(explanation, word);
  }
  for (int i = 0; i < 1000; ++i) id_of(explanation, "▁wort" + std::to_string(i));
  add_logits(explanation, random);
  add_attention(explanation, alignment, random);
  add_positions(explanation);
  add_beam(explanation, random);
  add_neighbours(explanation);
  return explanation;
}

}  // namespace

Explanation made_up_explanation() {
  Explanation explanation = explained({"▁the", "▁old", "▁cap", "tain", "▁wrote", "▁a", "▁letter",
                                       "▁to", "▁the", "▁sea", "▁.", "</s>"},
                                      {"▁der", "▁alte", "▁Kapi", "tän", "▁schrieb", "▁einen",
                                       "▁Brief", "▁an", "▁das", "▁Meer", "▁.", "</s>"},
                                      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  explanation.source = "the old captain wrote a letter to the sea .";
  explanation.translation = "der alte Kapitän schrieb einen Brief an das Meer .";
  explanation.model = "toy-en-de, step 8,000: 3 + 3 layers, d_model 128, 4 heads, 1.3 M parameters";
  return explanation;
}

Explanation made_up_text_explanation() {
  Explanation explanation =
      explained({}, {"▁Clara", "▁is", "▁a", "▁bak", "er", "▁from", "▁Lyon", ".", "</s>"},
                std::vector<int64_t>(9));
  explanation.given = 4;
  explanation.encoder_self.clear();
  explanation.cross.clear();
  explanation.positions = {};
  explanation.beam.clear();
  explanation.source = "Clara is a bak";
  explanation.translation = "er from Lyon.";
  explanation.model = "toy-text, step 2,000: 3 layers, d_model 128, 4 heads, 0.6 M parameters";
  return explanation;
}

Inspection made_up_inspection(const Explanation& explanation) {
  Inspection inspection;
  const auto& text = explanation.target_tokens;
  const auto tokens = static_cast<int64_t>(text.size());
  constexpr int states = 4;
  for (int state = 0; state < states; ++state) {
    auto& guesses = inspection.lens.emplace_back();
    for (int64_t t = 0; t < tokens; ++t) {
      const float sure = 0.2F * static_cast<float>(state) + 0.1F;
      guesses.push_back({{{text[t], sure}, {3, 0.05F}}, sure});
    }
  }
  for (const ExplainedHead& each : explanation.decoder_self) {
    const bool odd = each.head % 2 == 1;
    inspection.patterns.push_back({each.layer, each.head, 0.3, 0.1, 0.2, odd ? 0.8 : std::nan("")});
    inspection.zeroed.push_back(
        {each.layer, each.head, 0.25F, {{3, 0.05F, 0.5F}, {text[explanation.given], 0.7F, 0.25F}}});
  }
  const int64_t written = tokens - explanation.given;
  inspection.attribution = {written, tokens, std::vector<float>(written * tokens)};
  for (int64_t i = 0; i < written * tokens; ++i) {
    inspection.attribution.values[i] = 0.1F * static_cast<float>(i % 7 - 3);
  }
  Patching& patching = inspection.patching.emplace();
  patching.against = "<b>another prompt";
  patching.other = {1};
  for (int64_t t = 0; t < explanation.given; ++t) patching.other.push_back(3);
  patching.gains = 3;
  patching.loses = 2;
  patching.before = -1;
  patching.after = 3;
  const int64_t prompt = explanation.given + 1;
  patching.patched = {states, prompt, std::vector<float>(states * prompt, 1)};
  inspection.edited = EditedOutput{.edits = {"without head 1.2"},
                                   .next = {{3, 0.2F, 0.6F}, {4, 0.5F, 0.1F}},
                                   .continuation = {3, 2},
                                   .text = "<b>other text"};
  return inspection;
}

Explanation hostile_explanation() {
  const std::string attack = "</script><img src=x onerror='window.broken = 1'>";
  Explanation explanation = explained({attack, "\xE2\x80\xA8", "\"&<b>", "</s>"},
                                      {"<!--", attack, "{{data}}", "</s>"}, {0, 1, 2, 3});
  explanation.source = attack;
  explanation.translation = "<!-- <script>" + attack;
  explanation.model = "'\"" + attack;
  return explanation;
}

}  // namespace calque::tests
