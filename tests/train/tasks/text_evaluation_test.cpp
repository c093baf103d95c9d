// The evaluation of a text: every token counts once; bits per character and per byte.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "core/tape.h"
#include "data/documents/dataset.h"
#include "data/tokenizers/training.h"
#include "train/tasks/language_model/evaluation.h"
#include "train/tasks/task_model.h"

namespace calque {
namespace {

const std::vector<std::string> documents = {"the dog sees a house", "é", "a big dog runs and runs",
                                            "the girl"};

struct Fixture {
  Tokenizer tokenizer = train_tokenizer(documents, {.kind = TokenizerKind::characters}, {});
  Dataset dataset = load_documents({{documents_in_memory("some", documents)}}, tokenizer, {});
  TaskModel<LanguageModel> network{{.layer = {.d_model = 16,
                                              .d_ff = 32,
                                              .heads = 2,
                                              .positions = PositionKind::rotary,
                                              .norm_placement = NormPlacement::pre,
                                              .dropout = real(0.5)},
                                    .vocabulary = tokenizer.size(),
                                    .layers = 2}};

  Fixture() { network.parameters.initialise(3); }
};

// Counts the pauses between batches.
BatchShare counting(int& count) {
  return {only_rank(), [&count] {
            ++count;
            return false;
          }};
}

TEST_CASE("an evaluation is the sum over all windows, whatever the batches and the dropout") {
  const Fixture fixture;
  for (const bool across : {true, false}) {
    CAPTURE(across);
    const WindowOptions windows{
        .context = 8, .cross_documents = across, .use = WindowUse::evaluation};
    LossSums expected;
    const TextWindows cut(fixture.dataset, windows);
    std::vector<int32_t> inputs, wanted;
    for (int64_t i = 0; i < cut.count(); ++i) {
      cut.read(0, i, inputs, wanted);
      Segments one;
      one.append(static_cast<int32_t>(inputs.size()));
      const TokenLoss loss =
          fixture.network.model.loss(inputs, wanted, one, real(0.1), Mode::evaluate);
      expected.loss += double(loss.loss.item());
      expected.nll += loss.nll;
      expected.correct += loss.correct;
      expected.terms += loss.tokens;
    }
    CHECK(expected.terms == 20 + 1 + 23 + 8 + 4);  // characters, and </s> of each document
    for (const int64_t batch_tokens : {1, 20, 100000}) {
      int between = 0;
      const TextEvaluation found = evaluate_text(fixture.network.model, fixture.dataset, windows,
                                                 0.1, batch_tokens, counting(between));
      CHECK(found.sums.terms == expected.terms);
      CHECK(found.sums.correct == expected.correct);
      CHECK(found.sums.nll == doctest::Approx(expected.nll).epsilon(1e-5));
      CHECK(found.sums.loss == doctest::Approx(expected.loss).epsilon(1e-5));
      CHECK(found.size == TextSize{.characters = 52, .bytes = 53});
      if (batch_tokens == 1) CHECK(between == cut.count() - 1);
      if (batch_tokens == 100000) CHECK(between == 0);
    }
  }
}

TEST_CASE("bits per character and byte are the likelihood in bits, over the size of the text") {
  const double nats = 12 * std::numbers::ln2;
  const TextEvaluation some{.sums = {.loss = 20, .nll = nats, .correct = 3, .terms = 6},
                            .size = {.characters = 4, .bytes = 8}};
  CHECK(some.bits_per_character() == doctest::Approx(3));
  CHECK(some.bits_per_byte() == doctest::Approx(1.5));
  const auto values = some.values();
  const auto value = [&](const std::string& name) {
    for (const auto& [known, of] : values) {
      if (known == name) return of;
    }
    return std::nan("");
  };
  CHECK(value("loss") == doctest::Approx(20.0 / 6));
  CHECK(value("nll") == doctest::Approx(2 * std::numbers::ln2));
  CHECK(value("perplexity") == doctest::Approx(4));
  CHECK(value("accuracy") == doctest::Approx(0.5));
  CHECK(value("bits_per_character") == doctest::Approx(3));
  CHECK(value("bits_per_byte") == doctest::Approx(1.5));
}

TEST_CASE("a uniform model needs the binary logarithm of the vocabulary for each token") {
  Fixture fixture;
  for (real& weight : fixture.network.parameters.values()) weight = 0;
  const TextEvaluation found =
      evaluate_text(fixture.network.model, fixture.dataset,
                    {.context = 16, .use = WindowUse::evaluation}, 0, 4096);
  const double bits = 56 * std::log2(double(fixture.tokenizer.size()));
  CHECK(found.bits_per_character() == doctest::Approx(bits / 52));
  CHECK(found.bits_per_byte() == doctest::Approx(bits / 53));
  const std::string text = evaluation_text("some", fixture.dataset, found);
  CHECK(text.starts_with("some: 4 documents, 56 tokens, 52 characters, 53 bytes\n"));
  CHECK(text.find(fmt::format("{:.4f} bits per byte", bits / 53)) != std::string::npos);
}

}  // namespace
}  // namespace calque
