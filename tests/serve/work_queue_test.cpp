// What the queue computes together, and in which order.
#include "serve/work_queue.h"

#include <doctest/doctest.h>

#include <atomic>
#include <future>

namespace calque {
namespace {

using Results = std::vector<std::vector<std::string>>;

// Collects the batches; the first waits until it is let go.
struct Recorder {
  std::promise<void> go;
  std::shared_future<void> gone = go.get_future().share();
  std::mutex mutex;
  std::vector<std::vector<std::string>> batches;
  std::vector<std::string> ended;

  QueuedWork work(const std::string& name, std::vector<std::string> sentences,
                  int64_t tokens_each = 10) {
    QueuedWork work;
    work.group = "g";
    work.translate = [this](std::span<const std::string> some) {
      gone.wait();
      const std::lock_guard lock(mutex);
      batches.emplace_back(some.begin(), some.end());
      Results results;
      for (const std::string& each : some) results.push_back({"<" + each + ">"});
      return results;
    };
    work.tokens.assign(sentences.size(), tokens_each);
    work.sentences = std::move(sentences);
    work.done = [this, name](const Results& results) {
      const std::lock_guard lock(mutex);
      std::string text = name;
      for (const auto& each : results) text += " " + each.front();
      ended.push_back(text);
    };
    work.failed = [this, name](const std::string& why) {
      const std::lock_guard lock(mutex);
      ended.push_back(name + " failed: " + why);
    };
    return work;
  }
};

using Batches = std::vector<std::vector<std::string>>;
using Ends = std::vector<std::string>;

TEST_CASE("a short request is translated beside a long one, not behind it") {
  Recorder recorder;
  {
    WorkQueue queue(1000, 20);
    CHECK(queue.add(recorder.work("first", {"x"})));  // computes while the others come
    while (queue.waiting_tokens() == 0) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(queue.add(recorder.work("long", {"a", "b", "c", "d"})));
    CHECK(queue.add(recorder.work("short", {"s"})));
    recorder.go.set_value();
  }
  CHECK(recorder.batches == Batches{{"x"}, {"a", "s"}, {"b", "c"}, {"d"}});
  CHECK(recorder.ended == Ends{"first <x>", "short <s>", "long <a> <b> <c> <d>"});
}

TEST_CASE("works of other groups are not translated together, and take turns") {
  Recorder recorder;
  {
    WorkQueue queue(1000, 10);
    CHECK(queue.add(recorder.work("first", {"x"})));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(queue.add(recorder.work("one", {"a", "b"})));
    QueuedWork other = recorder.work("two", {"c"});
    other.group = "h";
    CHECK(queue.add(std::move(other)));
    recorder.go.set_value();
  }
  CHECK(recorder.ended == Ends{"first <x>", "two <c>", "one <a> <b>"});
}

TEST_CASE("a full queue refuses, and an empty one takes what is larger than itself") {
  Recorder recorder;
  WorkQueue queue(25, 1000);
  CHECK(queue.add(recorder.work("large", {"a", "b", "c", "d"})));
  CHECK_FALSE(queue.add(recorder.work("more", {"e"})));
  recorder.go.set_value();
  while (queue.waiting_tokens() > 0) std::this_thread::yield();
  CHECK(queue.add(recorder.work("more", {"e"})));
}

TEST_CASE("what was cancelled is not computed") {
  Recorder recorder;
  std::atomic<bool> gone = false;
  {
    WorkQueue queue(1000, 10);
    CHECK(queue.add(recorder.work("first", {"x"})));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    QueuedWork work = recorder.work("cancelled", {"a"});
    work.cancelled = [&] { return gone.load(); };
    CHECK(queue.add(std::move(work)));
    gone = true;
    recorder.go.set_value();
  }
  CHECK(recorder.ended == Ends{"first <x>"});
}

TEST_CASE("a failure reaches the works of its batch alone") {
  Recorder recorder;
  recorder.go.set_value();
  std::promise<std::string> failure, result;
  {
    WorkQueue queue(1000, 1000);
    QueuedWork broken = recorder.work("broken", {"a", "b"});
    broken.group = "h";
    broken.translate = [](std::span<const std::string>) -> Results {
      throw std::runtime_error("no luck");
    };
    CHECK(queue.add(std::move(broken)));
    QueuedWork alone;
    alone.compute = [] { throw std::runtime_error("neither"); };
    alone.failed = [&](const std::string& why) { failure.set_value(why); };
    CHECK(queue.add(std::move(alone)));
    CHECK(queue.add(recorder.work("sound", {"c"})));
  }
  CHECK(failure.get_future().get() == "neither");
  CHECK(recorder.ended == Ends{"broken failed: no luck", "sound <c>"});
}

}  // namespace
}  // namespace calque
