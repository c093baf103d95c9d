// The folder of checkpoints: saved checkpoints are loaded, and damage is reported.

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "data/files/content_hash.h"
#include "support/message_of.h"
#include "support/sanitized.h"
#include "support/simulated_files.h"
#include "train/storage/fixture.h"

using namespace calque;
namespace fs = std::filesystem;

namespace {

std::string slurp(const std::string& path) { return read_text(real_files(), path, 1 << 20); }

void overwrite(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

std::string load_failure(const std::string& run) {
  return message_of([&] { load_step(real_files(), run); });
}

}  // namespace

TEST_CASE("the newest checkpoint is loaded, with its tensors and its state") {
  const ScratchFolder run;
  CHECK(load_step(real_files(), run.path()) == -1);
  for (const int64_t step : {0, 500, 1000}) save_step(real_files(), run.path(), step);
  CHECK(load_step(real_files(), run.path()) == 1000);
  CHECK(load_step(real_files(), run.path() + "/") == 1000);
  const Checkpoints checkpoints(real_files(), run.path());
  CHECK(checkpoints.steps() == std::vector<int64_t>{1000, 500, 0});
  CHECK(fs::exists(run.path() + "/checkpoints/step-000500/model.safetensors"));
  CHECK(fs::exists(run.path() + "/checkpoints/step-000500/optimizer.safetensors"));
  CHECK(fs::exists(run.path() + "/checkpoints/step-000500/state.json"));
}

TEST_CASE("steps of more than six digits are still the newest") {
  const ScratchFolder run;
  for (const int64_t step : {999999, 1000000, 2000000000})
    save_step(real_files(), run.path(), step);
  CHECK(load_step(real_files(), run.path()) == 2000000000);
}

TEST_CASE("a changed byte anywhere in a checkpoint is detected, and the previous one is loaded") {
  SimulatedFiles files;
  make_folder(files, "run");
  save_step(files, "run", 1);
  save_step(files, "run", 2);
  const std::string newest = "run/checkpoints/step-000002";
  for (const std::string name : {"model.safetensors", "optimizer.safetensors", "state.json"}) {
    std::string& contents = files.contents(newest + "/" + name);
    for (char& byte : contents) {
      for (const int flip : sanitized ? std::vector{0x20} : std::vector{0x01, 0x20, 0x80, 0xFF}) {
        const char whole = std::exchange(byte, static_cast<char>(byte ^ flip));
        std::vector<DamagedCheckpoint> damaged;
        REQUIRE(load_step(files, "run", damaged) == 1);
        REQUIRE(damaged.size() == 1);
        REQUIRE(damaged[0].folder == newest);
        REQUIRE(damaged[0].problem.starts_with(newest + "/" + name + ": "));
        byte = whole;
      }
    }
  }
  CHECK(load_step(files, "run") == 2);
}

TEST_CASE("a file cut short, made longer, empty, missing or not a file is damage") {
  const ScratchFolder run;
  save_step(real_files(), run.path(), 1);
  for (const std::string name : {"model.safetensors", "optimizer.safetensors", "state.json"}) {
    const std::string path = run.path() + "/checkpoints/step-000002/" + name;
    const auto is_damage = [&] {
      std::vector<DamagedCheckpoint> damaged;
      CHECK(load_step(real_files(), run.path(), damaged) == 1);
      CHECK(damaged.size() == 1);
    };
    save_step(real_files(), run.path(), 2);
    const std::string whole = slurp(path);
    for (const size_t size :
         {size_t{0}, size_t{1}, size_t{8}, whole.size() / 2, whole.size() - 1}) {
      overwrite(path, whole.substr(0, size));
      is_damage();
    }
    overwrite(path, whole + "x");
    is_damage();
    fs::remove(path);
    is_damage();
    fs::create_directory(path);
    is_damage();
    fs::remove(path);
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);  // opening it must not wait for a writer
    is_damage();
    fs::remove(path);
    fs::create_symlink("/dev/zero", path);
    is_damage();
    fs::remove(path);
    fs::create_symlink(name, path);  // a link to itself
    is_damage();
  }
}

TEST_CASE("files of two checkpoints together are a damaged checkpoint") {
  const ScratchFolder run;
  for (const int64_t step : {1, 2, 3}) save_step(real_files(), run.path(), step);
  const std::string all = run.path() + "/checkpoints/";
  fs::copy_file(all + "step-000001/optimizer.safetensors",
                all + "step-000003/optimizer.safetensors", fs::copy_options::overwrite_existing);
  CHECK(load_step(real_files(), run.path()) == 2);
  fs::rename(all + "step-000001", all + "step-000004");
  std::vector<DamagedCheckpoint> damaged;
  CHECK(load_step(real_files(), run.path(), damaged) == 2);
  REQUIRE(damaged.size() == 2);
  CHECK(damaged[0].problem.find("rename it back to step-000001") != std::string::npos);
}

TEST_CASE("if all checkpoints are damaged, that is an error, not a fresh start") {
  const ScratchFolder run;
  save_step(real_files(), run.path(), 1);
  overwrite(run.path() + "/checkpoints/step-000001/model.safetensors", "");
  CHECK(load_failure(run.path()).find("all 1 checkpoints are damaged") != std::string::npos);
}

TEST_CASE("a checkpoint of another model is an error, not skipped") {
  const ScratchFolder run;
  save_step(real_files(), run.path(), 1);
  save_step(real_files(), run.path(), 2);
  SmallRun small;
  auto model = small.model<TensorSlot>();
  model[0].shape = {3, 2};
  model[3].name = "other";
  std::vector<DamagedCheckpoint> damaged;
  const std::string file = run.path() + "/checkpoints/step-000002/model.safetensors";
  CHECK_THROWS_WITH_AS(
      Checkpoints(real_files(), run.path()).load_newest(model, {}, damaged),
      (file + ": was saved from another model: layer.0 is [2, 3], but [3, 2] is needed; "
              "other is missing; layer.3 is not needed")
          .c_str(),
      Error);
}

TEST_CASE("a checkpoint of a newer calque, or with too long a state, is an error, not damage") {
  const ScratchFolder run;
  for (const int64_t step : {500, 1000}) save_step(real_files(), run.path(), step);
  const std::string state = run.path() + "/checkpoints/step-001000/state.json";
  std::string newer = slurp(state);
  newer.erase(newer.rfind(",\n  \"xxh64\""));
  newer.replace(newer.find("\"format\": 6"), 11, "\"format\": 7");
  newer += fmt::format(",\n  \"xxh64\": \"{:016x}\"\n}}\n", content_hash(newer));
  for (const auto& [text, problem] :
       {std::pair(newer, "written by a newer calque"),
        std::pair(std::string(largest_state + 1, ' '), "are allowed")}) {
    overwrite(state, text);
    std::vector<DamagedCheckpoint> damaged;
    const std::string message =
        message_of<Mismatch>([&] { load_step(real_files(), run.path(), damaged); });
    CHECK_MESSAGE(message.starts_with(state + ": "), message);
    CHECK_MESSAGE(message.find(problem) != message.npos, message);
    CHECK(damaged.empty());
  }
}

TEST_CASE("a checkpoint without optimizer can be used but not resumed from") {
  const ScratchFolder run;
  SmallRun small = SmallRun::at_step(7), back;
  Checkpoints checkpoints(real_files(), run.path());
  checkpoints.save(small.model<NamedTensor>(), {}, small.state(7));
  std::vector<DamagedCheckpoint> damaged;
  CHECK(checkpoints.load_newest(back.model<TensorSlot>(), {}, damaged)->state.step == 7);
  CHECK(load_failure(run.path()).find("has no optimizer.safetensors") != std::string::npos);
}

TEST_CASE("values that are not finite are never saved") {
  const ScratchFolder run;
  save_step(real_files(), run.path(), 1);
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    for (const size_t at : {size_t{0}, size_t{11}, size_t{12}, size_t{23}}) {
      SmallRun small = SmallRun::at_step(2);
      small.values[at] = static_cast<real>(bad);
      CHECK_THROWS_AS(
          Checkpoints(real_files(), run.path())
              .save(small.model<NamedTensor>(), small.optimizer<NamedTensor>(), small.state(2)),
          Error);
    }
  }
  CHECK(load_step(real_files(), run.path()) == 1);
}

TEST_CASE("values that are not finite are not loaded, even with a valid digest") {
  const ScratchFolder run;
  save_step(real_files(), run.path(), 1);
  save_step(real_files(), run.path(), 2);
  SmallRun small = SmallRun::at_step(2);
  small.values[13] = std::numeric_limits<real>::quiet_NaN();
  const std::string folder = run.path() + "/checkpoints/step-000002",
                    name = "optimizer.safetensors";
  TrainingState state = load_state(real_files(), folder);
  fs::remove(folder + "/" + name);
  state.checksums[name] = write_safetensors(real_files(), folder + "/" + name,
                                            small.optimizer<NamedTensor>(), {{"format", "calque"}});
  overwrite(folder + "/state.json", format_state(state));
  std::vector<DamagedCheckpoint> damaged;
  CHECK(load_step(real_files(), run.path(), damaged) == 1);
  REQUIRE(damaged.size() == 1);
  CHECK(damaged[0].problem.find("first_moment.layer.0 holds") != std::string::npos);
}

TEST_CASE("pruning keeps the newest, the requested, and always the known undamaged checkpoint") {
  const ScratchFolder run;
  Checkpoints checkpoints(real_files(), run.path());
  for (int64_t step = 100; step <= 800; step += 100) save_step(real_files(), run.path(), step);
  checkpoints.prune(800, 3, std::vector<int64_t>{200, 12345});
  CHECK(checkpoints.steps() == std::vector<int64_t>{800, 700, 600, 200});
  checkpoints.prune(600, 0, {});
  CHECK(checkpoints.steps() == std::vector<int64_t>{800, 600});
  fs::create_directory(run.path() + "/checkpoints/notes");
  overwrite(run.path() + "/checkpoints/step-000800/extra", "a file of somebody's");
  checkpoints.prune(600, 1, {});
  CHECK(checkpoints.steps() == std::vector<int64_t>{800, 600});
  CHECK(fs::exists(run.path() + "/checkpoints/notes"));
}

TEST_CASE("damaged checkpoints are set aside, and leftovers of interrupted saves removed") {
  const ScratchFolder run;
  const std::string all = run.path() + "/checkpoints/";
  Checkpoints checkpoints(real_files(), run.path());
  checkpoints.remove_leftovers();
  for (const int64_t step : {1, 2, 3}) save_step(real_files(), run.path(), step);
  overwrite(all + "step-000003/model.safetensors", "");
  fs::rename(all + "step-000002", all + "step-000002.old");
  fs::create_directories(all + "step-000009.tmp/deeper");
  overwrite(all + "step-000009.tmp/model.safetensors", "half");
  for (int time = 0; time < 2; ++time) {
    std::vector<DamagedCheckpoint> damaged;
    CHECK(load_step(real_files(), run.path(), damaged) == 2);
    for (const auto& one : damaged) checkpoints.set_aside(one);
    checkpoints.remove_leftovers();
    CHECK(checkpoints.steps() == std::vector<int64_t>{2, 1});
    CHECK(fs::exists(all + "step-000003.damaged"));
    CHECK(fs::exists(all + "step-000002"));
    CHECK(!fs::exists(all + "step-000009.tmp"));
  }
}

TEST_CASE(
    "best and last are relative links, so that a run can be copied, and loading ignores them") {
  const ScratchFolder run;
  Checkpoints checkpoints(real_files(), run.path());
  for (const int64_t step : {1, 2}) {
    save_step(real_files(), run.path(), step);
    checkpoints.link("last", step);
  }
  CHECK(fs::read_symlink(run.path() + "/last") == "checkpoints/step-000002");
  fs::remove(run.path() + "/last");
  fs::create_symlink("/etc", run.path() + "/last");
  CHECK(load_step(real_files(), run.path()) == 2);
  checkpoints.link("last", 1);
  CHECK(fs::exists(run.path() + "/last/state.json"));
}

TEST_CASE("a run's folder is created with its parents, but a vanished one is not created again") {
  const ScratchFolder scratch;
  const std::string run = scratch.path() + "/runs/of/mine";
  make_folder(real_files(), run);
  make_folder(real_files(), run);
  save_step(real_files(), run, 1);
  fs::remove_all(scratch.path() + "/runs");
  CHECK_THROWS_WITH_AS(save_step(real_files(), run, 2),
                       (run + "/checkpoints: cannot make the folder: No such file or directory; "
                              "check that the path exists")
                           .c_str(),
                       FileError);
  CHECK(!fs::exists(scratch.path() + "/runs"));
}

TEST_CASE("other names in the folder of checkpoints are ignored") {
  const ScratchFolder run;
  save_step(real_files(), run.path(), 5);
  for (const char* name : {"step-", "step-5", "step-0000006", "step-00000x", "step--00001",
                           "Step-000009", "step-000007.bak", "step-99999999999999999999"}) {
    fs::create_directory(run.path() + "/checkpoints/" + name);
  }
  CHECK(Checkpoints(real_files(), run.path()).steps() == std::vector<int64_t>{5});
  CHECK(load_step(real_files(), run.path()) == 5);
}
