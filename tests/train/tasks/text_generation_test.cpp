// Generated texts: the model's choices, limits, stop strings and streaming.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/tape.h"
#include "data/text/utf8.h"
#include "data/tokenizers/training.h"
#include "data/tokenizers/vocabulary.h"
#include "support/threads.h"
#include "train/tasks/language_model/generation.h"
#include "train/tasks/task_model.h"

namespace calque {
namespace {

const std::vector<std::string> texts = {"the dog sees a house\nand a girl", "a big dog runs",
                                        "the house, the girl and the dog"};

Tokenizer tokenizer_of(TokenizerKind kind) {
  if (kind == TokenizerKind::bytes) return train_tokenizer({}, {.kind = kind}, {});
  return train_tokenizer(texts, {.kind = kind}, {.vocabulary_size = 40, .newline = true});
}

struct Writer {
  Tokenizer tokenizer;
  TaskModel<LanguageModel> network;

  // Sharpened, so that no two tokens are nearly equally probable; `end` is the bias of </s>.
  explicit Writer(const Tokenizer& of, real end = 0, PositionKind positions = PositionKind::rotary)
      : tokenizer(of),
        network({.layer = {.d_model = 16,
                           .d_ff = 32,
                           .heads = 2,
                           .positions = positions,
                           .max_positions = 16,
                           .norm_placement = NormPlacement::pre},
                 .vocabulary = of.size(),
                 .layers = 2,
                 .tied = false,
                 .output_bias = true}) {
    network.parameters.initialise(7);
    for (real& weight : network.model.output.weight.span()) weight *= 20;
    network.model.output.bias.span()[end_id] = end;
  }

  std::vector<std::vector<GeneratedText>> write(const std::vector<std::string>& prompts,
                                                const GenerationOptions& options,
                                                const TextSink& sink = {}) const {
    return generate_texts(network.model, tokenizer, prompts, options, sink);
  }

  // ln p of each token after `ids`.
  std::vector<double> next(const std::vector<int32_t>& ids) const {
    const NoGradient nothing_recorded;
    Segments one;
    one.append(static_cast<int32_t>(ids.size()));
    const Tensor logits = network.model.logits(network.model.hidden(ids, one, Mode::evaluate));
    const std::span<const real> all = logits.span();
    const auto last = all.last(static_cast<size_t>(tokenizer.size()));
    double sum = 0, most = *std::ranges::max_element(last);
    for (const real score : last) sum += std::exp(double(score) - most);
    std::vector<double> result;
    for (const real score : last) result.push_back(double(score) - most - std::log(sum));
    return result;
  }
};

// The best token that may be written: neither <unk> nor <s>.
int32_t best_of(const std::vector<double>& scores) {
  const auto from = scores.begin() + end_id;
  return static_cast<int32_t>(std::max_element(from, scores.end()) - scores.begin());
}

GenerationOptions greedy(int64_t max_tokens, int64_t context) {
  GenerationOptions options;
  options.sampling.temperature = 0;
  options.max_tokens = max_tokens;
  options.context = context;
  return options;
}

GenerationOptions drawn(uint64_t seed, int64_t max_tokens = 12) {
  GenerationOptions options;
  options.sampling.seed = seed;
  options.sampling.temperature = 8;  // the model is sharpened
  options.max_tokens = max_tokens;
  options.context = 16;
  return options;
}

// Runs the whole model for each token. A full context is replaced by its second half.
GeneratedText plain_greedy(const Writer& writer, const std::string& prompt, int64_t max_tokens,
                           size_t context) {
  std::vector<int32_t> ids = {begin_id};
  writer.tokenizer.encode_document(prompt, ids);
  const size_t given = ids.size();
  size_t from = 0;
  GeneratedText text;
  while (text.tokens < max_tokens) {
    if (ids.size() - from >= context) from = ids.size() - context / 2;
    const std::vector<double> scores =
        writer.next({ids.begin() + static_cast<int64_t>(from), ids.end()});
    const int32_t id = best_of(scores);
    text.log_probability += scores[static_cast<size_t>(id)];
    if (id == end_id) {
      text.finish = FinishReason::end;
      break;
    }
    ids.push_back(id);
    ++text.tokens;
  }
  const std::string all = writer.tokenizer.decode_document(ids);
  ids.resize(given);
  text.text = all.substr(writer.tokenizer.decode_document(ids).size());
  return text;
}

TEST_CASE("greedy text equals that of running the whole model for each token") {
  for (const PositionKind positions : {PositionKind::rotary, PositionKind::learned}) {
    const Writer writer(tokenizer_of(TokenizerKind::characters), 0, positions);
    for (const std::string prompt : {"", "the", "a dog sees", "the house, the girl and the dog"}) {
      for (const int64_t max_tokens : {1, 5, 40}) {
        CAPTURE(prompt);
        CAPTURE(max_tokens);
        const GeneratedText text = writer.write({prompt}, greedy(max_tokens, 16))[0][0];
        const GeneratedText expected = plain_greedy(writer, prompt, max_tokens, 16);
        CHECK(text.text == expected.text);
        CHECK(text.tokens == expected.tokens);
        CHECK(text.finish == expected.finish);
        CHECK(text.log_probability == doctest::Approx(expected.log_probability).epsilon(1e-3));
      }
    }
  }
}

TEST_CASE("a text longer than the context goes on to max_tokens, however small the context is") {
  const Writer writer(tokenizer_of(TokenizerKind::characters), -1000);
  for (const int64_t context : {1, 2, 3, 5, 16}) {
    CAPTURE(context);
    const GeneratedText text = writer.write({"the dog"}, greedy(100, context))[0][0];
    CHECK(text.tokens == 100);
    CHECK(text.finish == FinishReason::length);
    CHECK(text.text.size() == 100);
    CHECK(text.text ==
          plain_greedy(writer, "the dog", 100, size_t(std::max<int64_t>(2, context))).text);
  }
}

TEST_CASE("a model that ends at once writes nothing") {
  const Writer writer(tokenizer_of(TokenizerKind::characters), 1000);
  const GeneratedText text = writer.write({"the"}, greedy(5, 16))[0][0];
  CHECK(text.text.empty());
  CHECK(text.tokens == 0);
  CHECK(text.finish == FinishReason::end);
  CHECK(text.log_probability == doctest::Approx(0));
}

TEST_CASE("the same seed gives the same texts on any number of threads, another seed others") {
  const Writer writer(tokenizer_of(TokenizerKind::characters), -1000);
  GenerationOptions options = drawn(3, 30);
  options.samples = 4;
  const auto all = [&](int count) {
    const Threads some(count);
    std::vector<std::string> written;
    for (const auto& of_prompt : writer.write({"the", "", "a dog"}, options)) {
      REQUIRE(of_prompt.size() == 4);
      for (const GeneratedText& text : of_prompt) written.push_back(text.text);
    }
    return written;
  };
  const std::vector<std::string> once = all(1);
  CHECK(std::set(once.begin(), once.end()).size() == 12);
  CHECK(all(2) == once);
  CHECK(all(4) == once);
  options.sampling.seed = 4;
  const std::vector<std::string> other = all(2);
  for (size_t i = 0; i < other.size(); ++i) CHECK(other[i] != once[i]);
}

TEST_CASE("the text drawn for a prompt does not depend on later prompts") {
  const Writer writer(tokenizer_of(TokenizerKind::characters), -1000);
  const std::string alone = writer.write({"the"}, drawn(5, 40))[0][0].text;
  CHECK(writer.write({"the", "a dog sees a house", "b"}, drawn(5, 40))[0][0].text == alone);
}

TEST_CASE("a text ends before the first stop string, which is no part of it") {
  const Writer writer(tokenizer_of(TokenizerKind::characters), -1000);
  GenerationOptions options = greedy(40, 16);
  const std::string whole = writer.write({"the"}, options)[0][0].text;
  REQUIRE(whole.size() == 40);
  for (const size_t at : {0, 7, 20, 37}) {
    const std::string stop = whole.substr(at, 3);
    options.stop = {"no such text", stop};
    const GeneratedText text = writer.write({"the"}, options)[0][0];
    CHECK(text.text == whole.substr(0, whole.find(stop)));
    CHECK(text.finish == FinishReason::stop);
    CHECK(text.tokens == static_cast<int64_t>(whole.find(stop) + 3));
  }
  options.stop = {"no such text"};
  CHECK(writer.write({"the"}, options)[0][0].text == whole);
  // A stop string within the prompt does not count.
  options.stop = {"girl-girl"};
  CHECK(writer.write({"girl-girl"}, options)[0][0].finish == FinishReason::length);
}

TEST_CASE("of several stop strings the one that comes first ends the text") {
  const Writer writer(tokenizer_of(TokenizerKind::characters), -1000);
  GenerationOptions options = greedy(40, 16);
  const std::string whole = writer.write({"the"}, options)[0][0].text;
  options.stop = {whole.substr(20, 4), whole.substr(9, 2)};
  const size_t first = std::min(whole.find(options.stop[0]), whole.find(options.stop[1]));
  CHECK(writer.write({"the"}, options)[0][0].text == whole.substr(0, first));
}

TEST_CASE("a sink receives the final texts, in parts that never change again") {
  for (const TokenizerKind kind : {TokenizerKind::characters, TokenizerKind::bytes,
                                   TokenizerKind::words, TokenizerKind::bpe}) {
    const Writer writer(tokenizer_of(kind), -2);
    for (const bool stops : {false, true}) {
      CAPTURE(static_cast<int>(kind));
      CAPTURE(stops);
      GenerationOptions options = drawn(11, 40);
      options.samples = 3;
      if (stops) options.stop = {"e", "dog", "\n"};
      std::map<std::pair<size_t, size_t>, std::string> received;
      int calls = 0;
      const auto found = writer.write({"the dog", "", "a"}, options,
                                      [&](size_t prompt, size_t sample, const std::string& text) {
                                        CHECK_FALSE(text.empty());
                                        received[{prompt, sample}] += text;
                                        ++calls;
                                      });
      for (size_t prompt = 0; prompt < found.size(); ++prompt) {
        for (size_t sample = 0; sample < found[prompt].size(); ++sample) {
          CHECK(received[{prompt, sample}] == found[prompt][sample].text);
        }
      }
      if (!stops) CHECK(calls > 9);  // not all at the end
      const auto silent = writer.write({"the dog", "", "a"}, options);
      for (size_t prompt = 0; prompt < found.size(); ++prompt) {
        for (size_t sample = 0; sample < found[prompt].size(); ++sample) {
          CHECK(silent[prompt][sample].text == found[prompt][sample].text);
          CHECK(silent[prompt][sample].finish == found[prompt][sample].finish);
        }
      }
    }
  }
}

TEST_CASE("a token begins after the text of the tokens before it") {
  for (const TokenizerKind kind :
       {TokenizerKind::characters, TokenizerKind::words, TokenizerKind::bpe}) {
    const Writer writer(tokenizer_of(kind), -1000);
    for (const std::string prompt : {"", "the dog\nsees"}) {
      CAPTURE(static_cast<int>(kind));
      CAPTURE(prompt);
      const GeneratedText text = writer.write({prompt}, drawn(3, 20))[0][0];
      const std::vector<int64_t> offsets = text_offsets(writer.tokenizer, prompt, text);
      REQUIRE(offsets.size() == text.ids.size());
      std::vector<int32_t> ids = {begin_id};
      writer.tokenizer.encode_document(prompt, ids);
      const size_t given = writer.tokenizer.decode_document(ids).size();
      for (size_t i = 0; i < offsets.size(); ++i) {
        const std::string before = writer.tokenizer.decode_document(ids).substr(given);
        CHECK(offsets[i] == count_code_points(before));
        ids.push_back(text.ids[i]);
      }
    }
  }
}

TEST_CASE("a character of several tokens is written by the last of them") {
  const Tokenizer bytes = tokenizer_of(TokenizerKind::bytes);
  const std::string whole = "\u00e4\u20acx";  // 2 + 3 + 1 bytes
  GeneratedText text{.text = whole, .ids = bytes.encode_document(whole)};
  CHECK(text_offsets(bytes, "\u00e9", text) == std::vector<int64_t>{0, 0, 1, 1, 1, 2});
  text.text = "\u00e4";  // a stop string has ended it
  CHECK(text_offsets(bytes, "", text) == std::vector<int64_t>{0, 0, 1, 1, 1, 1});
}

}  // namespace
}  // namespace calque
