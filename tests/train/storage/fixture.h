#pragma once
// A small training run for the tests of storage: a few tensors whose values identify their step, so
// that a mixture of two checkpoints is detected.

#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "train/storage/checkpoints.h"

namespace calque {

// A new folder in the system's temporary folder, removed by the destructor.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "calque-test-XXXXXX").string();
    if (!::mkdtemp(name.data())) fail("{}: cannot be made", name);
    path_ = name;
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct SmallRun {
  static constexpr std::array<size_t, 4> sizes{6, 0, 1, 5};
  std::vector<real> values = std::vector<real>(24, real(-1));

  static SmallRun at_step(int64_t step) {
    SmallRun run;
    for (size_t i = 0; i < run.values.size(); ++i) {
      run.values[i] = static_cast<real>(step) + static_cast<real>(i) / 64;
    }
    return run;
  }

  // Windows into the values: NamedTensor for writing, TensorSlot for reading.
  template <class Tensor>
  std::vector<Tensor> tensors(const std::string& prefix, size_t from) {
    std::vector<Tensor> list;
    const std::array<std::vector<int64_t>, 4> shapes{{{2, 3}, {0, 4}, {}, {5}}};
    for (size_t i = 0; i < sizes.size(); ++i) {
      const std::span<real> window(values.data() + from, sizes[i]);
      list.push_back({prefix + std::to_string(i), shapes[i], window});
      from += sizes[i];
    }
    return list;
  }
  template <class Tensor>
  std::vector<Tensor> model() {
    return tensors<Tensor>("layer.", 0);
  }
  template <class Tensor>
  std::vector<Tensor> optimizer() {
    return tensors<Tensor>("first_moment.layer.", 12);
  }

  TrainingState load(FileSystem& files, const std::string& checkpoint) {
    return load_checkpoint(files, checkpoint, model<TensorSlot>(), optimizer<TensorSlot>());
  }

  TrainingState state(int64_t step) const {
    TrainingState state;
    state.step = state.optimizer_step = step;
    state.config = "model:\n  d_model: 8  # \"quoted\", Überschrift\n";
    state.best["bleu"] = {{.value = 0.1 * static_cast<double>(step), .step = step}};
    state.tokens = 1000 * step;
    return state;
  }
};

inline void save_step(FileSystem& files, const std::string& run, int64_t step) {
  SmallRun small = SmallRun::at_step(step);
  Checkpoints(files, run)
      .save(small.model<NamedTensor>(), small.optimizer<NamedTensor>(), small.state(step));
}

// The step of the newest undamaged checkpoint, or -1. Throws unless its values and state are those
// of that step.
inline int64_t load_step(FileSystem& files, const std::string& run,
                         std::vector<DamagedCheckpoint>& damaged) {
  SmallRun small;
  const auto loaded =
      Checkpoints(files, run)
          .load_newest(small.model<TensorSlot>(), small.optimizer<TensorSlot>(), damaged);
  if (!loaded) return -1;
  const int64_t step = loaded->state.step;
  TrainingState expected = small.state(step);
  expected.checksums = loaded->state.checksums;
  if (small.values != SmallRun::at_step(step).values || loaded->state != expected) {
    fail("a checkpoint of step {} with other contents", step);
  }
  return step;
}

inline int64_t load_step(FileSystem& files, const std::string& run) {
  std::vector<DamagedCheckpoint> damaged;
  return load_step(files, run, damaged);
}

}  // namespace calque
