// Amounts with units: how long, how often, how much memory.
#include "train/config/checks/limits.h"

#include <cmath>
#include <random>

#include "train/config/fixture.h"

namespace calque {
namespace {

TEST_CASE("limits are read in updates, epochs, target tokens and time") {
  CHECK(parse_until({"8000u"}) == Until{.updates = 8000});
  CHECK(parse_until({"100Ku"}) == Until{.updates = 100'000});
  CHECK(parse_until({"20e"}) == Until{.epochs = 20});
  CHECK(parse_until({"0.5e"}) == Until{.epochs = 0.5});
  CHECK(parse_until({"100Mt"}) == Until{.tokens = 100'000'000});
  CHECK(parse_until({"1.5Gt"}) == Until{.tokens = 1'500'000'000});
  CHECK(parse_until({"90s"}) == Until{.seconds = 90});
  CHECK(parse_until({"45min"}) == Until{.seconds = 2700});
  CHECK(parse_until({"2h"}) == Until{.seconds = 7200});
  CHECK(parse_until({"1d"}) == Until{.seconds = 86400});
  CHECK(parse_until({"20 e"}) == Until{.epochs = 20});
}

TEST_CASE("a goal is a metric, a comparison and a value, which may be a percentage") {
  const auto goal = [](const std::string& text) { return parse_until({text}).goal; };
  CHECK(goal("exact>=97%") == Goal{"exact", true, 0.97});
  CHECK(goal("loss <= 1.9") == Goal{"loss", false, 1.9});
  CHECK(goal("bleu>=30, 20e").value == 30);
  CHECK(parse_until({"bleu>=30", "20e"}).epochs == 20);
  CHECK(goal("20e").metric.empty());
  CHECK(goal("bleu>=30").reached_by(30));
  CHECK_FALSE(goal("bleu>=30").reached_by(29.9));
  CHECK(goal("loss<=2").reached_by(2));
  CHECK_FALSE(goal("loss<=2").reached_by(2.1));
  CHECK_FALSE(goal("loss<=2").reached_by(std::nan("")));
  CHECK(to_text(parse_until({"8000u", "exact >= 97%"})) == "8000u, exact>=0.97");
  for (const char* text : {"exact>97%", "exact>=", ">=3", "exact>=x", "exact=3", "exact>=3u"}) {
    CAPTURE(text);
    CHECK(message_of([&] { parse_until({text}); }).find("exact>=97%") != std::string::npos);
  }
  CHECK(message_of([] {
          parse_until({"bleu>=3", "loss<=2"});
        }) == "'loss<=2' is the second limit of its kind");
}

TEST_CASE("several limits may be in a list or in one text") {
  const Until both{.updates = 8000, .seconds = 2700};
  CHECK(parse_until({"8000u", "45min"}) == both);
  CHECK(parse_until({"8000u, 45min"}) == both);
  CHECK(parse_until({"8000u | 45min"}) == both);
}

TEST_CASE("a text that is not a limit is refused with the allowed forms") {
  for (const std::string text :
       {"", "8000", "u", "-5u", "0u", "0.5u", "8000x", "1e400e", "nan e", "inf min", "1e99d",
        "8000u,", "8,000u", "ten minutes", "0x10u", "99999999999999999999u"}) {
    CAPTURE(text);
    const std::string message = message_of([&] { parse_until({text}); });
    CHECK(message.find("45min") != std::string::npos);
  }
  CHECK(message_of([] { parse_until({}); }).find("no limit; write") == 0);
  CHECK(message_of([] {
          parse_until({"1h", "30min"});
        }) == "'30min' is the second limit of its kind");
}

TEST_CASE("intervals are updates or whole epochs, or never") {
  CHECK(parse_interval("500") == Interval{.updates = 500});
  CHECK(parse_interval("500u") == Interval{.updates = 500});
  CHECK(parse_interval("2ku") == Interval{.updates = 2000});
  CHECK(parse_interval("1e") == Interval{.epochs = 1});
  CHECK(parse_interval("never") == Interval{});
  CHECK(parse_interval("0") == Interval{});
  for (const std::string text : {"", "0.5e", "5min", "-1u", "5x", "u"}) {
    CAPTURE(text);
    CHECK(message_of([&] { parse_interval(text); }).find("write 500u (updates), 1e (epochs)") !=
          std::string::npos);
  }
}

TEST_CASE("sizes are decimal or binary") {
  CHECK(parse_bytes("2GB").count == 2'000'000'000);
  CHECK(parse_bytes("1.5 GiB").count == 1'610'612'736);
  CHECK(parse_bytes("500MB").count == 500'000'000);
  CHECK(parse_bytes("0").count == 0);
  for (const std::string text : {"", "2", "2G", "-1GB", "0GB", "2gb", "1e30TB", "99999999TB"}) {
    CAPTURE(text);
    CHECK(message_of([&] { parse_bytes(text); }).find("not a size") != std::string::npos);
  }
}

TEST_CASE("every amount is read back as it was written") {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> real(1e-3, 1e4);
  const auto count = [&] { return static_cast<int64_t>(random() >> (12 + random() % 48)); };
  for (int i = 0; i < 2000; ++i) {
    Until until{.updates = count(), .epochs = real(random), .tokens = count()};
    until.seconds = i % 2 ? real(random) : 3600 * std::floor(real(random) + 1);
    if (i % 3 == 0) until.goal = {"exact", i % 2 == 0, real(random)};
    CAPTURE(to_text(until));
    CHECK(parse_until({to_text(until)}) == until);
    const Bytes bytes{count()};
    CHECK(parse_bytes(to_text(bytes)) == bytes);
    const Interval interval{.updates = i % 2 ? count() : 0, .epochs = i % 2 ? 0 : count()};
    CHECK(parse_interval(to_text(interval)) == interval);
  }
  CHECK(to_text(Until{.updates = 8000, .epochs = 20, .tokens = 100'000'000, .seconds = 2700}) ==
        "8000u, 20e, 100Mt, 45min");
}

}  // namespace
}  // namespace calque
