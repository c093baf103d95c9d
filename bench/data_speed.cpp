// The speed of the data layer:
//
//   build/release/bench/data_speed [TEXT.SOURCE TEXT.TARGET] [--pairs N]
//
// It generates a corpus of N pairs (default a million), tokenizes it into words and a cache, and
// loads it from the cache; tokenizes it again without a cache and cuts it into batches; and encodes
// the given text, or else the corpus, with calque and with spm_encode, on one thread and on two.

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "core/threads/parallel.h"
#include "data/batches/examples.h"
#include "data/batches/pair_batch.h"
#include "data/batches/stream.h"
#include "data/datasets/dataset.h"
#include "data/tokenizers/training.h"

namespace calque {
namespace {

constexpr int target_column[] = {1};

// Wall time, and the CPU time of this process and its children. Other programs disturb CPU time
// less.
class Clock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  double cpu_seconds() const { return cpu_now() - cpu_start_; }
  std::string text() const {
    return fmt::format("{:.2f} s ({:.2f} s CPU)", seconds(), cpu_seconds());
  }

 private:
  static double cpu_now() {
    double sum = 0;
    for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
      struct rusage usage {};
      getrusage(who, &usage);
      for (const timeval& part : {usage.ru_utime, usage.ru_stime}) {
        sum += static_cast<double>(part.tv_sec) + 1e-6 * static_cast<double>(part.tv_usec);
      }
    }
    return sum;
  }
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double cpu_start_ = cpu_now();
};

double peak_megabytes() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Two syllables or more.
std::string made_up_word(uint64_t number) {
  static constexpr const char* syllables[] = {"ba", "de", "ki", "lo", "mu", "ra", "si", "te",
                                              "vo", "na", "pu", "ge", "fi", "zo", "wu", "ha"};
  std::string word = syllables[number % 16];
  do {
    number /= 16;
    word += syllables[number % 16];
  } while (number > 0);
  return word;
}

std::string made_up_sentence(Random& random, int64_t words) {
  std::string text;
  for (int64_t i = 0; i < words; ++i) {
    const uint64_t range = uint64_t{16} << random.below(10);  // like Zipf's law, roughly
    if (i > 0) text += ' ';
    text += made_up_word(random.below(range));
  }
  return text;
}

void write_corpus(int64_t pairs, const AlignedFiles& files) {
  std::ofstream source(files.paths[0]), target(files.paths[1]);
  Random random({.seed = 1});
  for (int64_t i = 0; i < pairs; ++i) {
    const auto length = static_cast<int64_t>(5 + random.below(30));
    source << made_up_sentence(random, length) << '\n';
    target << made_up_sentence(random, length + static_cast<int64_t>(random.below(5))) << '\n';
  }
}

Tokenizer word_tokenizer(const CorpusSource& corpus) {
  std::vector<Corpus> corpora;
  corpora.emplace_back(corpus);
  return train_tokenizer(sample_texts(corpora, {0, 1}, 200000, 1), {.kind = TokenizerKind::words},
                         {.vocabulary_size = 32000});
}

int64_t target_tokens(const Dataset& dataset) {
  int64_t tokens = 0;
  for (int64_t i = 0; i < dataset.examples(); ++i) tokens += dataset.tokens->length(i, 1) + 1;
  return tokens;
}

// Times reading, tokenizing and batching.
void measure_words(const CorpusSource& corpus, const Tokenizer& words) {
  const Clock clock;
  const Dataset dataset = load_dataset({corpus}, {words, words}, {});
  const std::string prepared = clock.text();
  const BatchPlan plan(costs_of(*dataset.tokens, target_column), dataset.ranges(), {}, 0);
  int64_t sentences = 0;
  for (int64_t i = 0; i < plan.size(); ++i) {
    std::vector<Example> pairs;
    for (const uint32_t number : plan.batch(i)) {
      dataset.tokens->read(number, pairs.emplace_back());
    }
    sentences += make_pair_batch(pairs).pairs();
  }
  const auto millions = static_cast<double>(target_tokens(dataset)) / 1e6;
  fmt::print(
      "words: {:.2f} M target tokens/s from file to batch, {:.2f} M per CPU second (target at "
      "least 1): {} pairs, reading and tokenizing {}, with batching {}\n",
      millions / clock.seconds(), millions / clock.cpu_seconds(), sentences, prepared,
      clock.text());
}

// The first load writes the cache, the second reads it.
void measure_cache(const CorpusSource& corpus, const Tokenizer& words, const std::string& folder) {
  const Clock first;
  load_dataset({corpus}, {words, words}, {.cache_folder = folder});
  const std::string made = first.text();
  const Clock second;
  const Dataset dataset = load_dataset({corpus}, {words, words}, {.cache_folder = folder});
  require(dataset.from_cache, "data_speed: the cache in {} was not read", folder);
  const std::string found = second.text();
  const Clock planning;
  BatchStream stream(examples_of(dataset, target_column), {});
  stream.next();
  fmt::print(
      "cache: {} pairs load in {} instead of {} (target at most 2 s for a million), the first "
      "batch {} later; peak memory {:.0f} MB (target at most 1500 for ten million)\n",
      dataset.examples(), found, made, planning.text(), peak_megabytes());
}

// Runs spm_encode, which has one thread, on both sides of the text, in turn or at the same time.
std::string time_of_spm_encode(const std::string& model, const AlignedFiles& files,
                               const std::string& folder, bool at_once) {
  const auto side = [&](const std::string& text, const char* ids) {
    return fmt::format("spm_encode --model='{}' --output_format=id < '{}' > '{}/{}'", model, text,
                       folder, ids);
  };
  const Clock clock;
  const std::string command =
      at_once ? fmt::format("{} & first=$!; {} && wait $first", side(files.paths[0], "source.ids"),
                            side(files.paths[1], "target.ids"))
              : fmt::format("{} && {}", side(files.paths[0], "source.ids"),
                            side(files.paths[1], "target.ids"));
  return std::system(command.c_str()) == 0 ? clock.text() : "is not installed";
}

std::string time_of_ours(const std::string& model, const TokenizerOptions& options,
                         const AlignedFiles& files, int thread_count) {
  set_threads(thread_count);
  const Clock clock;
  const Tokenizer tokenizer = Tokenizer::load(model, options);
  load_dataset({CorpusSource{files}}, {tokenizer, tokenizer}, {});
  return clock.text();
}

// Both times include loading the model and reading the text.
void measure_sentence_piece(const AlignedFiles& files, const std::string& folder) {
  std::vector<Corpus> corpora;
  corpora.emplace_back(CorpusSource{files});
  const auto texts = sample_texts(corpora, {0, 1}, 100000, 1);
  for (const TokenizerKind kind : {TokenizerKind::bpe, TokenizerKind::unigram}) {
    const TokenizerOptions options{.kind = kind};
    const std::string prefix = folder + "/subwords", model = prefix + ".model";
    train_tokenizer(texts, options, {.vocabulary_size = 4000}).save(prefix);
    for (const int thread_count : {1, 2}) {
      fmt::print("{}, threads {}: {}; spm_encode {}\n",
                 kind == TokenizerKind::bpe ? "bpe" : "unigram", thread_count,
                 time_of_ours(model, options, files, thread_count),
                 time_of_spm_encode(model, files, folder, thread_count == 2));
      std::fflush(stdout);
    }
  }
}

void run(const std::vector<std::string>& paths, int64_t pairs) {
  const std::string folder =
      (std::filesystem::temp_directory_path() / fmt::format("calque-data-speed-{}", getpid()))
          .string();
  std::filesystem::create_directories(folder);
  const AlignedFiles made_up{{folder + "/made-up.source", folder + "/made-up.target"}};
  write_corpus(pairs, made_up);
  const AlignedFiles files = paths.size() == 2 ? AlignedFiles{{paths[0], paths[1]}} : made_up;
  fmt::print("{} threads\n", threads());
  const Tokenizer words = word_tokenizer({made_up});
  measure_cache({made_up}, words, folder + "/cache");
  std::fflush(stdout);
  measure_words({made_up}, words);
  measure_sentence_piece(files, folder);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace calque

int main(int count, char** arguments) {
  std::vector<std::string> paths;
  int64_t pairs = 1000000;
  for (int i = 1; i < count; ++i) {
    const bool has_number = std::strcmp(arguments[i], "--pairs") == 0 && i + 1 < count;
    if (has_number) {
      pairs = std::strtoll(arguments[++i], nullptr, 10);
    } else {
      paths.emplace_back(arguments[i]);
    }
  }
  try {
    calque::run(paths, pairs);
  } catch (const std::exception& error) {
    fmt::print(stderr, "data_speed: {}\n", error.what());
    return 1;
  }
  return 0;
}
