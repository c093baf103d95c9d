// Which requests are computed together, and in which order.
#include <doctest/doctest.h>

#include <atomic>
#include <future>

#include "core/error.h"
#include "serve/work/queue.h"

namespace calque {
namespace {

using Results = std::vector<std::vector<std::string>>;

// Records the batches. They wait until `release` is set.
struct Recorder {
  std::promise<void> release;
  std::shared_future<void> released = release.get_future().share();
  std::mutex mutex;
  std::vector<std::string> batches;
  std::vector<std::string> ended;

  // Sentences of ten tokens each, </s> included; the first token is the sentence's letter.
  QueuedWork work(const std::string& name, const std::string& letters) {
    QueuedWork work;
    work.group = "g";
    work.translate = [this](std::span<const QueuedWork::Sentence> some) {
      released.wait();
      const std::lock_guard lock(mutex);
      std::string& batch = batches.emplace_back();
      Results results;
      for (const QueuedWork::Sentence& each : some) {
        const auto letter = static_cast<char>(each.front());
        batch += letter;
        results.push_back({std::string("<") + letter + ">"});
      }
      return results;
    };
    for (const char letter : letters) {
      work.sentences.emplace_back(9, 0).front() = letter;
    }
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

using Batches = std::vector<std::string>;
using Ends = std::vector<std::string>;

TEST_CASE("a short request is translated in a batch with a long one, not after it") {
  Recorder recorder;
  {
    WorkLane lane({1000, 20}, {});
    CHECK(lane.add(recorder.work("first", "x")));  // waits while the others are added
    while (lane.unfinished_tokens() == 0) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(lane.add(recorder.work("long", "abcd")));
    CHECK(lane.add(recorder.work("short", "s")));
    recorder.release.set_value();
  }
  CHECK(recorder.batches == Batches{"x", "as", "bc", "d"});
  CHECK(recorder.ended == Ends{"first <x>", "short <s>", "long <a> <b> <c> <d>"});
}

TEST_CASE("requests of different groups take turns") {
  Recorder recorder;
  {
    WorkLane lane({1000, 10}, {});
    CHECK(lane.add(recorder.work("first", "x")));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(lane.add(recorder.work("one", "ab")));
    QueuedWork other = recorder.work("two", "c");
    other.group = "h";
    CHECK(lane.add(std::move(other)));
    recorder.release.set_value();
  }
  CHECK(recorder.ended == Ends{"first <x>", "two <c>", "one <a> <b>"});
}

TEST_CASE("a full queue refuses work, and an empty queue accepts work beyond its capacity") {
  Recorder recorder;
  WorkLane lane({25, 1000}, {});
  CHECK(lane.add(recorder.work("large", "abcd")));
  CHECK_FALSE(lane.add(recorder.work("more", "e")));
  recorder.release.set_value();
  while (lane.unfinished_tokens() > 0) std::this_thread::yield();
  CHECK(lane.add(recorder.work("more", "e")));
}

TEST_CASE("cancelled work is not computed") {
  Recorder recorder;
  std::atomic<bool> gone = false;
  {
    WorkLane lane({1000, 10}, {});
    CHECK(lane.add(recorder.work("first", "x")));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    QueuedWork work = recorder.work("cancelled", "a");
    work.cancelled = [&] { return gone.load(); };
    CHECK(lane.add(std::move(work)));
    gone = true;
    recorder.release.set_value();
  }
  CHECK(recorder.ended == Ends{"first <x>"});
  CHECK(recorder.batches == Batches{"x"});
}

TEST_CASE("a failure is reported only to the requests of its batch") {
  Recorder recorder;
  recorder.release.set_value();
  std::promise<std::string> failure;
  {
    WorkLane lane({1000, 1000}, {});
    QueuedWork broken = recorder.work("broken", "ab");
    broken.group = "h";
    broken.translate = [](std::span<const QueuedWork::Sentence>) -> Results {
      throw std::runtime_error("no luck");
    };
    CHECK(lane.add(std::move(broken)));
    QueuedWork alone;
    alone.compute = [] { throw std::runtime_error("neither"); };
    alone.failed = [&](const std::string& why) { failure.set_value(why); };
    CHECK(lane.add(std::move(alone)));
    CHECK(lane.add(recorder.work("sound", "c")));
  }
  CHECK(failure.get_future().get() == "neither");
  CHECK(recorder.ended == Ends{"broken failed: no luck", "sound <c>"});
}

TEST_CASE("an exception while a result is delivered is reported to the request") {
  Recorder recorder;
  recorder.release.set_value();
  {
    WorkLane lane({1000, 1000}, {});
    QueuedWork broken = recorder.work("broken", "a");
    broken.done = [](const Results&) { throw std::runtime_error("no answer"); };
    CHECK(lane.add(std::move(broken)));
  }
  CHECK(recorder.ended == Ends{"broken failed: no answer"});
}

TEST_CASE("work that has a group but no sentences is refused") {
  Recorder recorder;
  WorkLane lane({1000, 1000}, {});
  CHECK_THROWS_AS(lane.add(recorder.work("empty", "")), Misuse);
}

TEST_CASE("short work does not wait for long texts and long computations") {
  Recorder recorder;
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  std::promise<std::string> short_text;
  {
    WorkQueue queue({.capacity = 1000, .batch_tokens = 1000, .short_tokens = 20});
    QueuedWork computation;
    computation.lengthy = true;
    computation.compute = [released] { released.wait(); };
    CHECK(queue.add(std::move(computation)));
    CHECK(queue.add(recorder.work("long", "abc")));  // waits for recorder.release
    QueuedWork brief = recorder.work("short", "s");
    brief.translate = [](std::span<const QueuedWork::Sentence>) { return Results{{"<s>"}}; };
    brief.done = [&](const Results& results) { short_text.set_value(results[0][0]); };
    CHECK(queue.add(std::move(brief)));
    CHECK(short_text.get_future().get() == "<s>");
    CHECK(queue.unfinished_tokens() == 31);  // 30 of the long text, 1 for the computation
    recorder.release.set_value();
    release.set_value();
  }
  CHECK(recorder.ended == Ends{"long <a> <b> <c>"});
}

}  // namespace
}  // namespace calque
