// Computes curves from simple formulas and a seeded generator, so that pages never change.
#include "browser/made_up_runs.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

namespace calque::tests {
namespace {

using Json = nlohmann::json;

constexpr double tokens_per_step = 4096;

struct Sentence {
  const char* source;
  const char* reference;
};

const std::vector<Sentence> sentences = {
    {"the old captain wrote a letter to the sea .",
     "der alte Kapitän schrieb einen Brief an das Meer ."},
    {"two children are building a house of sand .", "zwei Kinder bauen ein Haus aus Sand ."},
    {"a woman in a red coat reads a newspaper .",
     "eine Frau in einem roten Mantel liest eine Zeitung ."},
    {"she gave the dog what it wanted .", "sie gab dem Hund , was er wollte ."},
    {"nobody knew the way home .", "niemand kannte den Weg nach Hause ."},
    {"a man plays the guitar on a bridge .", "ein Mann spielt auf einer Brücke Gitarre ."},
};

// A prompt has no reference; the second text is the continuation of a trained model.
const std::vector<Sentence> prompts = {
    {"Clara is a baker", "from Lyon.\nSo says Clara, the baker from Lyon."},
    {"The dog sleeps. She", "likes tea. Peter sold the big car."},
};

const std::vector<Sentence> hostile_sentences = {
    {"</script><script>window.broken = 1</script>",
     "\"quotes\" 'and' <b>tags</b> & &amp; entities"},
    {"<!-- <script> <img src=x onerror='window.broken = 1'>",
     "line\xE2\x80\xA8separator\xE2\x80\xA9 {{data}} ${x} `y`"},
};

double chance(std::mt19937& random) { return static_cast<double>(random()) / 4294967296.0; }

double noise(std::mt19937& random) {
  return chance(random) + chance(random) + chance(random) - 1.5;
}

double schedule(const MadeUpRun& run, double step) {
  const double warmup = static_cast<double>(run.warmup_steps);
  return run.learning_rate * std::min(step / warmup, std::sqrt(warmup / step));
}

double progress(const MadeUpRun& run, double step) {
  return 1 - std::exp(-run.speed * std::pow(step / 1200.0, 1.25));
}

double loss_at(const MadeUpRun& run, double step) {
  const double done = progress(run, step);
  return run.final_loss + (9.1 - run.final_loss) * (1 - done) + 0.25 / std::sqrt(1 + step / 400);
}

// The reference with wrong words, which become fewer as `done` grows from 0 to 1.
std::string translation(const char* reference, double done, std::mt19937& random) {
  const std::vector<std::string> wrong = {"der", "ein", "Hund", "ist", ".", "Haus", "und"};
  std::string out, word;
  for (const char* c = reference;; ++c) {
    if (*c != ' ' && *c != '\0') {
      word += *c;
      continue;
    }
    const bool right = chance(random) < std::pow(done, 0.7);
    out += (out.empty() ? "" : " ") + (right ? word : wrong[random() % wrong.size()]);
    word.clear();
    if (*c == '\0') return out;
  }
}

Json samples(const MadeUpRun& run, double done, std::mt19937& random) {
  Json list = Json::array();
  if (run.text) {
    for (const Sentence& prompt : prompts) {
      list.push_back({{"source", prompt.source},
                      {"reference", ""},
                      {"output", translation(prompt.reference, done, random)}});
    }
    return list;
  }
  for (const Sentence& sentence : run.hostile ? hostile_sentences : sentences) {
    list.push_back({{"source", sentence.source},
                    {"reference", sentence.reference},
                    {"output", translation(sentence.reference, done, random)}});
  }
  return list;
}

Json training_record(const MadeUpRun& run, int64_t step, double& seconds, std::mt19937& random) {
  const double at = static_cast<double>(step);
  const double loss = loss_at(run, at) * (1 + 0.05 * noise(random));
  const double spike = random() % 97 == 0 ? 6 : 1;
  const double rate = 31000 + 2500 * noise(random);
  seconds += tokens_per_step * static_cast<double>(run.logged_every) / rate;
  const double nll = std::max(0.02, loss - 1.1);
  return {{"kind", "train"},
          {"step", step},
          {"epoch", at * tokens_per_step / 600000},
          {"loss", loss},
          {"nll", nll},
          {"ppl", std::exp(nll)},
          {"accuracy", std::clamp(progress(run, at) * 0.96 + 0.02 * noise(random), 0.0, 1.0)},
          {"lr", schedule(run, at)},
          {"grad_norm", (0.5 + 2 * std::exp(-at / 700)) * (1 + 0.3 * noise(random)) * spike},
          {"tokens", at * tokens_per_step},
          {"timing",
           {{"seconds", seconds},
            {"tokens_per_s", rate},
            {"gflop_per_s", 610 + 20 * noise(random)},
            {"memory_mb", 312 + std::floor(at / 1000)},
            {"wait_share", 0.001 + 0.0005 * chance(random)}}}};
}

Json validation_record(const MadeUpRun& run, int64_t step, std::mt19937& random) {
  const double at = static_cast<double>(step);
  const double overfit = 0.02 * std::max(0.0, at / 5000 - 0.8);
  const double loss = loss_at(run, at) * 1.02 + overfit + 0.02 * noise(random);
  const double nll = std::max(0.02, loss - 1.1);
  const double done = progress(run, at);
  Json record = {{"kind", "valid"},
                 {"step", step},
                 {"epoch", at * tokens_per_step / 600000},
                 {"loss", loss},
                 {"nll", nll},
                 {"ppl", std::exp(nll)},
                 {"accuracy", std::clamp(done * 0.95, 0.0, 1.0)},
                 {"samples", samples(run, done, random)},
                 {"timing", {{"seconds", 1.7}}}};
  if (run.text) {
    record["bits_per_character"] = 0.4 * nll;
    record["bits_per_byte"] = 0.39 * nll;
  } else if (run.scores) {
    record["bleu"] = 44 * std::pow(done, 2.2) + 0.4 * noise(random);
    record["chrf"] = 68 * std::pow(done, 1.3) + 0.4 * noise(random);
    record["exact"] = std::pow(done, 6) * 0.97;
  }
  return record;
}

}  // namespace

void write_made_up_run(const std::filesystem::path& folder, const MadeUpRun& run) {
  std::filesystem::create_directories(folder);
  std::mt19937 random(run.seed);
  std::ofstream out(folder / "metrics.jsonl");
  double seconds = 0;
  for (int64_t step = run.logged_every; step <= run.steps; step += run.logged_every) {
    out << training_record(run, step, seconds, random).dump() << '\n';
    if (step % run.validated_every == 0) {
      out << validation_record(run, step, random).dump() << '\n';
    }
    if (random() % (run.hostile ? 5 : 61) == 0) {
      const std::string text = run.hostile ? "</script><b onclick=\"window.broken = 1\">&"
                                           : "step skipped: the gradient norm is not finite";
      out << Json({{"kind", "event"}, {"step", step}, {"text", text}}).dump() << '\n';
    }
  }
  std::ofstream config(folder / "config.yaml");
  if (run.text) config << "task: language-model\n";
  config << "data:\n  train: [toy.en, toy.de]\n  batch_tokens: 4096\nmodel:\n  preset: tiny\n"
         << "  d_model: 128\n  heads: 4\n  encoder_layers: 2\n  decoder_layers: 2\ntraining:\n"
         << "  seed: " << run.seed << "\n  learning_rate: " << run.learning_rate
         << "\n  warmup_steps: " << run.warmup_steps << "\n  label_smoothing: 0.1\n"
         << (run.hostile ? "  note: \"</script><i>'\\\"&\"\n" : "")
         << (run.scores ? "" : "  accumulation: 2\n") << "decoding:\n  beam: 5\n";
}

}  // namespace calque::tests
