// Training data that other runs write: back-translation and distillation.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "data/files/content_hash.h"
#include "data/temporary_folder.h"
#include "support/message_of.h"
#include "train/run/plan.h"
#include "train/tasks/translation/lines.h"
#include "train/tasks/translation/synthetic/corpus.h"
#include "train/tasks/translation/synthetic/files.h"
#include "train/trainer_fixture.h"

namespace calque {
namespace {

namespace fs = std::filesystem;
using Settings = std::vector<std::string>;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Lines of one to six of the toy's symbols.
std::string some_text(int64_t lines) {
  std::string text;
  for (int64_t i = 0; i < lines; ++i) {
    for (int64_t k = 0; k <= i % 6; ++k) {
      text += (k > 0 ? " " : "") + std::string(1, static_cast<char>('A' + (i * 7 + k * k) % 26));
    }
    text += '\n';
  }
  return text;
}

// A run whose translations end, made once, and another one.
struct Teachers {
  TemporaryFolder folder;
  Teachers() {
    for (const char* name : {"teacher", "other"}) {
      calque::run(folder,
                  {"training.until=150u", "data.validation=[]", "data.max_length=20",
                   std::string("training.seed=") + (name[0] == 't' ? "1" : "2")},
                  name);
    }
  }
  std::string path() const { return folder.path("teacher"); }
  std::string other() const { return folder.path("other"); }
};

const Teachers& teachers() {
  static const Teachers once;
  return once;
}

// The synthetic files in the cache of a run that have this ending.
std::vector<std::string> files_with(const TemporaryFolder& folder, const std::string& name,
                                    const std::string& ending) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder.path(name + "/cache"))) {
    const std::string file = entry.path().filename().string();
    const bool synthetic = file.starts_with("back-translation-") || file.starts_with("distill");
    if (synthetic && file.ends_with(ending)) found.push_back(name + "/cache/" + file);
  }
  return found;
}

std::string back_translate(const std::string& text, const std::string& more = "") {
  return "data.back_translate={run: " + teachers().path() + ", text: " + text + more + "}";
}

const std::string few = "data.train={toy: reverse, pairs: 50, longest: 6}";

TEST_CASE("back-translated sources are the lines of calque translate, after a tag") {
  const TemporaryFolder folder;
  const std::string text = some_text(60) + "\nA A A A A A A A A A A A A A A A A A A A A A A A\n";
  const std::string file = folder.write("text", text);
  run(folder, {few, "training.until=2u", back_translate(file)});
  const auto sources = files_with(folder, "run", ".source"),
             targets = files_with(folder, "run", ".target");
  REQUIRE(sources.size() == 1);
  const auto found = lines_of(folder.read(sources[0])), kept = lines_of(folder.read(targets[0]));
  REQUIRE(found.size() == kept.size());
  CHECK(kept == lines_of(some_text(60)));
  std::vector<TranslationRun> runs = open_translation_runs({{teachers().path()}});
  LineOptions options{translation_options(runs[0].config.decoding)};
  options.search.beam = 1;
  LineTranslator translator(std::move(runs), options);
  const auto expected = lines_of(translator.translate(lines_of(text), 0));
  for (size_t i = 0; i < found.size(); ++i) CHECK(found[i] == "<bt> " + expected[i]);
  CHECK(files_with(folder, "run", "000000").empty());
  const std::string log = folder.read("run/train.log");
  CHECK(log.find("; back-translation by " + teachers().path() +
                 ": 62 lines, dropped: 1 empty, 1 too long") != std::string::npos);
  CHECK(log.find(": 110 pairs") != std::string::npos);
  // The tag is one token.
  CHECK(folder.read("run/tokenizer.vocab").find("<bt>") != std::string::npos);
}

TEST_CASE("a distilled run has the teacher's targets, beside those of the corpus with keep") {
  const TemporaryFolder folder;
  const std::string distill = "data.distill={run: " + teachers().path() + ", beam: 2";
  run(folder, {few, "training.until=2u", distill + "}"}, "instead");
  run(folder, {few, "training.until=2u", distill + ", keep: true}"}, "beside");
  for (const std::string name : {"instead", "beside"}) {
    const std::string log = folder.read(name + "/train.log");
    CHECK(log.find(name == "instead" ? ": 50 pairs" : ": 100 pairs") != std::string::npos);
    CHECK(log.find("; distillation by " + teachers().path() + ": 50 lines, dropped: none") !=
          std::string::npos);
  }
  const std::string sources = folder.read(files_with(folder, "beside", ".source").at(0));
  std::vector<TranslationRun> runs = open_translation_runs({{teachers().path()}});
  LineOptions options{translation_options(runs[0].config.decoding)};
  options.search.beam = 2;
  LineTranslator translator(std::move(runs), options);
  CHECK(folder.read(files_with(folder, "beside", ".target").at(0)) ==
        translator.translate(lines_of(sources), 0));
}

// A corpus of more than two parts.
struct Parts {
  TemporaryFolder folder;
  SyntheticCorpus corpus{.name = "back-translation",
                         .input = {AlignedFiles{{folder.write("text", some_text(4100))}}},
                         .reversed = true,
                         .tag = "<bt> "};
  Teacher teacher{teachers().path(), 1, std::nullopt};

  MadeCorpus make(const char* name) const {
    return make_synthetic(corpus, teacher, folder.path(name), {});
  }
  std::string base() const { return "back-translation-" + hexadecimal(hash_of(corpus, teacher)); }
  SyntheticFiles files(const std::string& name) const {
    return SyntheticFiles(folder.path(name + "/" + base()));
  }
};

TEST_CASE("a corpus that was killed goes on after its last part, and ends with the same bytes") {
  const Parts parts;
  const MadeCorpus whole = parts.make("whole");
  CHECK_FALSE(whole.from_cache);
  CHECK(whole.counts.lines == 4100);
  CHECK(whole.counts.pairs > 2000);
  CHECK(parts.make("whole").from_cache);
  CHECK(parts.make("whole").counts.text() == whole.counts.text());
  const auto bytes = [&](const std::string& name, const char* ending) {
    return parts.folder.read(name + "/" + parts.base() + ending);
  };
  // The second part and half of the first one.
  SyntheticPart second{.counts = {.lines = 2000, .pairs = 1, .empty = 1999},
                       .pairs = {{"from", "the second"}}};
  fs::create_directories(parts.folder.path("killed"));
  parts.files("killed").write(1, second);
  parts.folder.write("killed/" + parts.base() + ".part-000000", "0123456789abcdef\n2000 1");
  const MadeCorpus resumed = parts.make("killed");
  CHECK(resumed.counts.empty == whole.counts.empty + 1999);
  const std::string targets = bytes("killed", ".target"), all = bytes("whole", ".target");
  const size_t place = targets.find("the second\n");
  REQUIRE(place != std::string::npos);
  CHECK(all.starts_with(targets.substr(0, place)));
  CHECK(all.ends_with(targets.substr(place + 11)));
  CHECK(bytes("whole", ".source").starts_with(bytes("killed", ".source").substr(0, 1000)));
  // Damaged files are made again.
  parts.folder.write("killed/" + parts.base() + ".target", all.substr(1));
  CHECK_FALSE(parts.make("killed").from_cache);
  CHECK(bytes("killed", ".target") == all);
}

TEST_CASE("another run, text, search or tag gives files of another name") {
  const Parts parts;
  const uint64_t own = hash_of(parts.corpus, parts.teacher);
  CHECK(own == hash_of(parts.corpus, Teacher(teachers().path(), 1, std::nullopt)));
  CHECK(own != hash_of(parts.corpus, Teacher(teachers().path(), 2, std::nullopt)));
  CHECK(own != hash_of(parts.corpus, Teacher(teachers().other(), 1, std::nullopt)));
  const Teacher drawing(teachers().path(), 1, Sampling{.top_k = 5});
  CHECK(own != hash_of(parts.corpus, drawing));
  CHECK(hash_of(parts.corpus, drawing) !=
        hash_of(parts.corpus, Teacher(teachers().path(), 1, Sampling{.top_k = 6})));
  SyntheticCorpus other = parts.corpus;
  other.tag.clear();
  CHECK(own != hash_of(other, parts.teacher));
  other = parts.corpus;
  other.input.place = AlignedFiles{{parts.folder.write("other", some_text(10))}};
  CHECK(own != hash_of(other, parts.teacher));
}

TEST_CASE("sampled sources are drawn by the numbers of their lines") {
  const TemporaryFolder folder;
  const Teacher drawing(teachers().path(), 1, Sampling{.temperature = 1});
  const std::vector<std::string> same(30, "A B C D E");
  const std::vector<TeacherOutput> outputs = drawing.translate(same, 0);
  const std::vector<TeacherOutput> rest = drawing.translate(std::span(same).subspan(10), 10);
  int64_t different = 0;
  for (size_t i = 10; i < outputs.size(); ++i) {
    CHECK(outputs[i].text == rest[i - 10].text);
    different += outputs[i].text != outputs[0].text ? 1 : 0;
  }
  CHECK(different > 0);
}

TEST_CASE("a run with synthetic pairs resumes with the same bits, and not with another teacher") {
  const TemporaryFolder folder;
  const std::string file = folder.write("text", some_text(60));
  const Settings settings = {few, back_translate(file, ", weight: 2"), "training.save_every=3u"};
  const auto until = [&](const char* end, Settings more = {}) {
    more.insert(more.end(), settings.begin(), settings.end());
    more.push_back(std::string("training.until=") + end);
    return more;
  };
  run(folder, until("6u"), "whole");
  run(folder, until("3u"), "stopped");
  fs::remove_all(folder.path("stopped/cache"));
  run(folder, until("6u"), "stopped");
  CHECK(tensors(folder, "whole 000006") == tensors(folder, "stopped 000006"));
  const std::string moved = folder.path("teacher");
  fs::copy(teachers().path(), moved, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  Settings same = until("9u");
  same[1] = "data.back_translate={run: " + moved + ", text: " + file + ", weight: 2}";
  CHECK(message_of([&] { run(folder, same, "stopped"); }).find("data.back_translate") !=
        std::string::npos);
  folder.write("text", some_text(61));
  CHECK(message_of([&] { run(folder, until("9u"), "stopped"); }) ==
        "the runs or the texts of data.back_translate and data.distill are not those that the run "
        "began with; restore them, or start again with --fresh");
}

TEST_CASE("the plan of a run tells how many lines are translated first, and makes nothing") {
  const TemporaryFolder folder;
  const std::string file = folder.write("text", some_text(60));
  const Config planned = config({few, "data.validation=[]", back_translate(file),
                                 "data.distill={run: " + teachers().path() + "}"});
  const std::string plan = training_plan(planned, {folder.path("run")}, make_task);
  CHECK(plan.find("data: 50 pairs") != std::string::npos);
  CHECK(plan.find(" first translates 50 lines of data.train, counted here as they are") !=
        std::string::npos);
  CHECK(plan.find(" first translates 60 lines of text, which are not counted here") !=
        std::string::npos);
  CHECK_FALSE(fs::exists(folder.path("run")));
}

TEST_CASE("a synthetic corpus needs a translator of the right direction and lines to translate") {
  const TemporaryFolder folder;
  const std::string file = folder.write("text", some_text(60)), empty = folder.write("no", "\n\n"),
                    broken = folder.write("broken", "A\n\xFF\nB C\n");
  const auto problem = [&](const Settings& settings) {
    Settings all = {few, "data.validation=[]", "training.until=1u"};
    all.insert(all.end(), settings.begin(), settings.end());
    return message_of([&] { run(folder, all); });
  };
  CHECK(problem({"data.back_translate={run: nowhere, text: " + file + "}"})
            .starts_with("data.back_translate.run: nowhere"));
  CHECK(problem({"data.distill={run: nowhere}"}).starts_with("data.distill.run: nowhere"));
  CHECK(problem({back_translate(folder.path("missing"))}).find("missing") != std::string::npos);
  CHECK(problem({back_translate(empty)}).find("2 lines, dropped: 2 empty; nothing is left") !=
        std::string::npos);
  CHECK(problem({back_translate(broken)}).find("broken:2: not valid UTF-8") != std::string::npos);
  CHECK(problem({back_translate(broken), "data.invalid_utf8=skip"}).empty());
  CHECK(folder.read("run/train.log").find("3 lines, dropped: 1 not UTF-8") != std::string::npos);

  // A run from de to en, and runs that need it in the other direction.
  folder.write("t.de", some_text(60)), folder.write("t.en", some_text(60));
  const auto between = [&](const char* languages) {
    return Settings{std::string("data.languages=") + languages,
                    "data.train={prefix: " + folder.path("t") + "}", "data.validation=[]",
                    "training.until=1u"};
  };
  run(folder, between("[de, en]"), "de-en");
  const std::string teacher = "{run: " + folder.path("de-en");
  Settings back = between("[de, en]"), same = between("[en, de]");
  back.push_back("data.back_translate=" + teacher + ", text: " + file + "}");
  same.push_back("data.distill=" + teacher + "}");
  for (const Settings& wrong : {back, same}) {
    CHECK(message_of([&] { run(folder, wrong, "wrong"); })
              .find(".run: " + folder.path("de-en") +
                    " translates from de to en; name a run from en to de") != std::string::npos);
  }
}

TEST_CASE("the keys of synthetic corpora are checked") {
  const auto problem = [](const std::string& setting) {
    return message_of([&] { config({setting}); });
  };
  CHECK(problem("data.back_translate={run: r}").find("needs run and text") != std::string::npos);
  CHECK(problem("data.distill={beam: 2}").find("needs run, the teacher") != std::string::npos);
  CHECK(problem("data.back_translate={run: r, text: t, top_k: 3}").find("needs sampling: true") !=
        std::string::npos);
  CHECK(problem("data.back_translate={run: r, text: t, sampling: true, beam: 3}")
            .find("is not used with sampling") != std::string::npos);
  CHECK(problem("data.back_translate={run: r, texts: t}").find("unknown key") != std::string::npos);
  CHECK(problem("data.distill=r").find("a map such as") != std::string::npos);
  CHECK(problem("data.distill={}").empty());
  const Config read = config({"data.back_translate={run: r, text: [a, b], epochs: 2}"});
  CHECK(read.data.back_translate.text == std::vector<std::string>{"a", "b"});
  CHECK(read.data.back_translate.epochs == 2);
}

}  // namespace
}  // namespace calque
