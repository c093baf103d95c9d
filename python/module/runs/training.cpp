// Training: the same run folder and the same bits as by `calque train`.
#include <csignal>

#include "core/threads/parallel.h"
#include "module/runs/bind.h"
#include "module/runs/opened.h"
#include "train/report/records.h"
#include "train/run/continuation.h"
#include "train/run/plan.h"
#include "train/tasks/registry.h"
#include "train/trainer.h"

namespace calque::python {
namespace {

// A config, from a file or from text, and where it trains.
struct OpenConfig {
  Config config;
  std::string run;
};

OpenConfig config_of_file(const std::string& path, const std::vector<std::string>& settings,
                          const std::string& run, bool fresh) {
  OpenConfig opened{load_task_config(path, settings).config, ""};
  opened.run = folder_to_train_in(path, run, fresh, opened.config);
  return opened;
}

OpenConfig config_of_text(const std::string& text, const std::vector<std::string>& settings,
                          const std::string& run) {
  return {parse_task_config(text, "config", settings).config, run};
}

// Sets the number of threads during its lifetime; 0: does not change it.
class ThreadsOfRun {
 public:
  explicit ThreadsOfRun(int64_t count) : before_(threads()) {
    if (count > 0) set_threads(static_cast<int>(count));
  }
  ~ThreadsOfRun() { set_threads(before_); }
  ThreadsOfRun(const ThreadsOfRun&) = delete;
  ThreadsOfRun& operator=(const ThreadsOfRun&) = delete;

 private:
  int before_;
};

// A function of Python that gets JSON and returns whether to continue.
template <class Record>
std::function<bool(const Record&)> continues(const py::object& function) {
  if (function.is_none()) return {};
  return [&function](const Record& record) {
    const py::gil_scoped_acquire acquired;
    return function(json_line(record)).template cast<bool>();
  };
}

// Returns (ending, step). A signal that ended training is raised again, so that Python handles it:
// SIGINT becomes KeyboardInterrupt.
py::tuple train_config(const OpenConfig& opened, const py::object& on_line,
                       const py::object& on_step, const py::object& on_validation) {
  RunObserver observer(on_line.is_none() ? Loudness::quiet : Loudness::normal);
  observer.line = [&](const std::string& line) {
    const py::gil_scoped_acquire acquired;
    if (on_line.is_none()) {
      py::module_::import("warnings").attr("warn")(line);
    } else {
      on_line(line);
    }
  };
  observer.step = continues<TrainRecord>(on_step);
  observer.validation = continues<ValidRecord>(on_validation);
  const TrainResult result = without_gil([&] {
    const ThreadsOfRun threads_of_run(opened.config.training.threads);
    return train(opened.config, {opened.run}, observer, make_task);
  });
  if (result.signal != 0) {
    std::raise(result.signal);
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
  return py::make_tuple(name_of(endings, result.ending), result.step);
}

}  // namespace

void bind_training(py::module_& module) {
  py::class_<OpenConfig>(module, "OpenConfig")
      .def_readonly("run", &OpenConfig::run)
      .def("text", [](const OpenConfig& opened) { return show_config(opened.config); })
      .def("train", &train_config)
      .def("plan", [](const OpenConfig& opened) {
        return without_gil([&] { return training_plan(opened.config, {opened.run}, make_task); });
      });
  module.def("config_of_file", &config_of_file);
  module.def("config_of_text", &config_of_text);
  module.def("run_folder", [](const std::string& run, bool fresh) {
    return folder_to_train_in("", run, fresh, {});
  });
}

}  // namespace calque::python
