// Measures a checkpoint of the base model with Adam's moments (three times 48 million values). Each
// round times a plain copy of the same bytes with fsync on the same disk, a save, and how long a
// background save stops training.
//
//   build/release/bench/checkpoint [FOLDER [MILLIONS [ROUNDS]]]

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"
#include "data/files/content_hash.h"
#include "timing.h"
#include "train/storage/checkpoint_writer.h"

using namespace calque;

namespace {

// Reads and writes chunk by chunk, as cp does, and ends with fsync.
void copy_with_sync(const std::string& from, const std::string& to) {
  std::vector<char> chunk(1 << 20);
  const int in = ::open(from.c_str(), O_RDONLY);
  const int out = ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (in < 0 || out < 0) fail("{}: cannot be copied to {}", from, to);
  for (ssize_t count = 0; (count = ::read(in, chunk.data(), chunk.size())) > 0;) {
    if (::write(out, chunk.data(), static_cast<size_t>(count)) != count)
      fail("{}: not written", to);
  }
  if (::fsync(out) != 0) fail("{}: not synced", to);
  ::close(in);
  ::close(out);
}

void run(const std::string& folder, int64_t parameters, int rounds) {
  constexpr int64_t matrix = int64_t{512} * 512;
  std::vector<real> values(static_cast<size_t>(3 * parameters));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<real>(i % 1013) / 1013;
  std::vector<NamedTensor> tensors;
  for (int64_t at = 0; at + matrix <= 3 * parameters; at += matrix) {
    tensors.push_back({fmt::format("layer.{}.weight", at / matrix),
                       {512, 512},
                       std::span(values).subspan(static_cast<size_t>(at), matrix)});
  }
  const std::span all(tensors);
  const auto model = all.first(all.size() / 3), optimizer = all.subspan(all.size() / 3);

  Checkpoints checkpoints(real_files(), folder);
  TrainingState state;
  checkpoints.save(model, optimizer, state);
  const std::string saved = checkpoints.folder(0);
  std::vector<double> copies, saves, snapshots;
  CheckpointWriter writer(checkpoints);
  for (int round = 0; round < rounds; ++round) {
    const std::string copy = fmt::format("{}/copy-{}", folder, round);
    copies.push_back(seconds_of([&] {
      copy_with_sync(saved + "/model.safetensors", copy + ".model");
      copy_with_sync(saved + "/optimizer.safetensors", copy + ".optimizer");
    }));
    std::filesystem::remove(copy + ".model");
    std::filesystem::remove(copy + ".optimizer");
    ++state.step;
    saves.push_back(seconds_of([&] { checkpoints.save(model, optimizer, state); }));
    checkpoints.prune(0, 1, {});
    ++state.step;
    snapshots.push_back(seconds_of(
        [&] { writer.save(model, optimizer, {.state = state, .keep_steps = {0}, .best = {}}); }));
    writer.finish();
  }
  const double gigabytes = static_cast<double>(values.size() * sizeof(real)) / 1e9;
  const double digest = seconds_of([&] { content_hash(bytes_of(std::span(values))); });
  fmt::print("{:.3f} GB in {} tensors, median of {} rounds\n", gigabytes, tensors.size(), rounds);
  fmt::print("plain copy with fsync   {:.3f} s\n", median(copies));
  fmt::print("checkpoint saved        {:.3f} s\n", median(saves));
  fmt::print("ratio                   {:.2f}  (target at most 1.5)\n",
             median(saves) / median(copies));
  fmt::print("training stopped        {:.3f} s by a background save\n", median(snapshots));
  fmt::print("digest                  {:.1f} GB/s\n", gigabytes / digest);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> given(arguments + 1, arguments + count);
  const std::string base =
      !given.empty() ? given[0] : std::filesystem::temp_directory_path().string();
  const std::string folder = base + "/calque-bench-checkpoint";
  try {
    std::filesystem::create_directories(folder);
    run(folder, (given.size() > 1 ? std::stoll(given[1]) : 48) * 1'000'000,
        given.size() > 2 ? std::stoi(given[2]) : 5);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    std::filesystem::remove_all(folder);
    return 1;
  }
  std::filesystem::remove_all(folder);
}
