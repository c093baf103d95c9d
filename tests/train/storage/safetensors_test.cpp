// safetensors: the bytes of a file, and reading back what was written.

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

#include "core/error.h"
#include "core/products/compact/matrix.h"
#include "core/random.h"
#include "support/folders.h"
#include "support/message_of.h"
#include "support/simulated_files.h"
#include "train/storage/fixture.h"

using namespace calque;

namespace {

// A file with this header, followed by the values.
std::string file_of(std::string_view header, std::string_view values) {
  const uint64_t length = header.size();
  std::string file(reinterpret_cast<const char*>(&length), 8);
  return file.append(header).append(values);
}

template <class Value>
std::string bytes(std::initializer_list<Value> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(Value)};
}

std::vector<real> read_all(const std::string& contents, const std::string& name, size_t count) {
  SimulatedFiles files;
  write_text(files, "x", contents);
  const SafetensorsFile file(files, "x");
  std::vector<real> values(count);
  file.read(std::vector<TensorSlot>{{name, file.table().find(name)->shape, values}});
  return values;
}

}  // namespace

TEST_CASE("a safetensors file is the length of the header, the header and the values") {
  SimulatedFiles files;
  std::vector<real> values{1, -2, real(0.5), 4, 5, 6};
  const std::vector<NamedTensor> tensors{{"a.weight", {2, 2}, std::span(values).first(4)},
                                         {"empty", {3, 0}, {}},
                                         {"b", {}, std::span(values).subspan(4, 1)}};
  const Fingerprint print = write_safetensors(files, "x", tensors, {{"step", "7"}});
  const std::string& file = files.contents("x");
  CHECK(print == Fingerprint{file.size(), content_hash(file)});

  uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  CHECK((8 + length) % 64 == 0);
  std::string header = file.substr(8, length);
  header.erase(header.find_last_not_of(' ') + 1);
  const bool single = sizeof(real) == 4;
  CHECK(header == (single ? R"({"__metadata__":{"step":"7"},)"
                            R"("a.weight":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
                            R"("empty":{"dtype":"F32","shape":[3,0],"data_offsets":[16,16]},)"
                            R"("b":{"dtype":"F32","shape":[],"data_offsets":[16,20]}})"
                          : R"({"__metadata__":{"step":"7"},)"
                            R"("a.weight":{"dtype":"F64","shape":[2,2],"data_offsets":[0,32]},)"
                            R"("empty":{"dtype":"F64","shape":[3,0],"data_offsets":[32,32]},)"
                            R"("b":{"dtype":"F64","shape":[],"data_offsets":[32,40]}})"));
  CHECK(file.substr(8 + length) == bytes_of(std::span(values).first(5)));
}

TEST_CASE("tensors come back bit by bit: empty ones, NaN, infinities, negative zero, denormals") {
  using limits = std::numeric_limits<real>;
  std::vector<real> values{limits::quiet_NaN(), limits::infinity(),   -limits::infinity(),
                           real(-0.0),          limits::denorm_min(), limits::max()};
  SimulatedFiles files;
  const std::vector<NamedTensor> tensors{{"x", {6}, values},
                                         {"Grüße \"\\\n\x01", {0}, {}},
                                         {"y", {1, 1, 1}, std::span(values).last(1)}};
  const Fingerprint print = write_safetensors(files, "f", tensors);
  std::vector<real> x(6), y(1);
  const std::vector<TensorSlot> targets{
      {"y", {1, 1, 1}, y}, {"x", {6}, x}, {"Grüße \"\\\n\x01", {0}, {}}};
  const SafetensorsFile file(files, "f");
  CHECK(differences(file.table(), targets).empty());
  CHECK(file.read(targets) == print);
  CHECK(std::memcmp(x.data(), values.data(), sizeof(real) * 6) == 0);
  CHECK(y[0] == limits::max());
}

TEST_CASE(
    "compact weights are BF16, or I8 or halves of U8 with scales, and are read in every form") {
  const std::map<Precision, std::string> types = {
      {Precision::bfloat16, "BF16"}, {Precision::q8_0, "I8"}, {Precision::q4_0, "U8"}};
  for (const bool flipped : {false, true}) {
    const int64_t rows = 70, cols = 41;
    std::vector<real> numbers(static_cast<size_t>(rows * cols));
    fill_normal({.seed = 1}, 0, 1, numbers);
    const auto matrix = [&](Precision form) {
      return CompactMatrix(form, flipped ? cols : rows, flipped ? rows : cols, flipped);
    };
    for (const auto& [form, type] : types) {
      CompactMatrix own = matrix(form);
      own.put_rows(0, rows, numbers.data());
      std::vector<real> rounded(numbers.size()), read(numbers.size());
      own.copy_rows(0, rows, rounded.data());
      SimulatedFiles files;
      const std::vector<NamedTensor> tensors{{"w", {rows, cols}, {}, {}, &own}};
      const Fingerprint print = write_safetensors(files, "f", tensors);
      const SafetensorsFile file(files, "f");
      CHECK(stored_precision(file.table()) == form);
      CHECK(file.table().find("w")->type->name == type);
      const std::vector<TensorSlot> expanded{{"w", {rows, cols}, read}};
      CHECK(differences(file.table(), expanded).empty());
      CHECK(file.read(expanded) == print);
      CHECK(read == rounded);
      for (const auto& [other, unused] : types) {
        CompactMatrix expected = matrix(other), found = matrix(other);
        expected.put_rows(0, rows, rounded.data());
        const std::vector<TensorSlot> slots{{"w", {rows, cols}, {}, &found}};
        CHECK(file.read(slots) == print);
        std::vector<real> from_slot(numbers.size());
        expected.copy_rows(0, rows, read.data());
        found.copy_rows(0, rows, from_slot.data());
        CHECK(from_slot == read);
      }
    }
  }
}

TEST_CASE("integers whose scales fit neither rows, columns nor blocks are refused") {
  const auto problem = [](const std::string& scales, size_t count) {
    const std::string header = R"({"w":{"dtype":"I8","shape":[64,2],"data_offsets":[0,128]},)"
                               R"("w.scale":{"dtype":"F32","shape":)" +
                               scales + R"(,"data_offsets":[128,)" +
                               std::to_string(128 + 4 * count) + "]}}";
    SimulatedFiles files;
    write_text(files, "x", file_of(header, std::string(128 + 4 * count, '\0')));
    const SafetensorsFile file(files, "x");
    std::vector<real> values(128);
    return mismatch(file.table(), {"w", {64, 2}, values}).value_or("");
  };
  CHECK(problem("[2,2]", 4).empty());
  CHECK(problem("[64,1]", 64).empty());
  CHECK(problem("[1,2]", 2).empty());
  CHECK(problem("[3,2]", 6) == "w is of type I8");
  CHECK(problem("[4]", 4) == "w is of type I8");
}

TEST_CASE("compact weights with a value that is not finite are refused") {
  SimulatedFiles files;
  std::vector<real> values(64, 1);
  values[40] = std::numeric_limits<real>::infinity();
  write_safetensors(files, "f", std::vector<NamedTensor>{{"w", {32, 2}, values}});
  CompactMatrix own(Precision::q8_0, 32, 2, false);
  const SafetensorsFile file(files, "f");
  CHECK(message_of<Error>([&] {
          file.read(std::vector<TensorSlot>{{"w", {32, 2}, {}, &own}});
        }) == "f: w holds a value that is infinite or not a number");
}

TEST_CASE("compact weights that are taken as they are have finite scales and halves") {
  const auto problem = [](const std::string& header, const std::string& values, Precision form) {
    SimulatedFiles files;
    write_text(files, "x", file_of(header, values));
    const SafetensorsFile file(files, "x");
    CompactMatrix own(form, 32, 2, false);
    return message_of<Error>([&] { file.read(std::vector<TensorSlot>{{"w", {32, 2}, {}, &own}}); });
  };
  const std::string message = "x: w holds a value that is infinite or not a number";
  const auto scaled = [](const std::string& type, size_t count) {
    return R"({"w":{"dtype":")" + type + R"(","shape":[32,)" + std::to_string(count / 32) +
           R"(],"data_offsets":[0,)" + std::to_string(count) +
           R"(]},"w.scale":{"dtype":"F16","shape":[1,2],"data_offsets":[)" + std::to_string(count) +
           "," + std::to_string(count + 4) + "]}}";
  };
  const std::string infinite = bytes<uint16_t>({0x3C00, 0x7C00});
  CHECK(problem(scaled("I8", 64), std::string(64, '\1') + infinite, Precision::q8_0) == message);
  CHECK(problem(scaled("U8", 32), std::string(32, '\1') + infinite, Precision::q4_0) == message);
  const std::string halves = R"({"w":{"dtype":"BF16","shape":[32,2],"data_offsets":[0,128]}})";
  const std::string not_a_number = bytes<uint16_t>({0x3F80, 0xFFC0});
  CHECK(problem(halves, std::string(124, '\0') + not_a_number, Precision::bfloat16) == message);
}

TEST_CASE("a file without tensors is valid") {
  SimulatedFiles files;
  const Fingerprint print = write_safetensors(files, "f", {});
  const SafetensorsFile file(files, "f");
  CHECK(file.table().entries.empty());
  CHECK(file.read({}) == print);
}

TEST_CASE("the other floating-point types are converted when read") {
  const std::string half = R"({"h":{"dtype":"F16","shape":[8],"data_offsets":[0,16]}})";
  const auto h = read_all(file_of(half, bytes<uint16_t>({0x3C00, 0xC000, 0x0001, 0x8000, 0x7BFF,
                                                         0x7C00, 0x0400, 0x3555})),
                          "h", 8);
  CHECK(h[0] == 1);
  CHECK(h[1] == -2);
  CHECK(h[2] == real(0x1p-24));
  CHECK((h[3] == 0 && std::signbit(h[3])));
  CHECK(h[4] == 65504);
  CHECK(h[5] == std::numeric_limits<real>::infinity());
  CHECK(h[6] == real(0x1p-14));
  CHECK(h[7] == real(0.333251953125));

  const std::string brain = R"({"b":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}})";
  CHECK(read_all(file_of(brain, bytes<uint16_t>({0x3F80, 0xC040})), "b", 2) ==
        std::vector<real>{1, -3});
  const std::string single = R"({"f":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  CHECK(read_all(file_of(single, bytes<float>({0.5F, -3})), "f", 2) ==
        std::vector<real>{real(0.5), -3});
  const std::string twice = R"({"d":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})";
  CHECK(read_all(file_of(twice, bytes<double>({0.25})), "d", 1) == std::vector<real>{real(0.25)});
}

TEST_CASE("a file may have a type whose values cannot be read, but reading them is an error") {
  SimulatedFiles files;
  write_text(
      files, "x",
      file_of(R"({"ids":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}})", bytes<int64_t>({7})));
  const SafetensorsFile file(files, "x");
  CHECK(file.table().entries[0].type->name == "I64");
  CHECK(file.read({}).size == file.size());
  std::vector<real> value(1);
  const std::vector<TensorSlot> targets{{"ids", {1}, value}};
  CHECK_THROWS_WITH_AS(file.read(targets),
                       "x: the values of ids are I64, not floating-point numbers", Error);
  CHECK(differences(file.table(), targets) == std::vector<std::string>{"ids is of type I64"});
}

TEST_CASE("a matrix of integers is multiplied by the scales of its rows or columns") {
  for (const bool by_rows : {true, false}) {
    SimulatedFiles files;
    const std::vector<int8_t> integers{1, -2, 3, -127, 127, 0};
    const std::vector<real> scales =
        by_rows ? std::vector<real>{2, real(0.5)} : std::vector<real>{2, real(0.5), 4};
    const std::vector<NamedTensor> written{
        {"w.scale", by_rows ? std::vector<int64_t>{2, 1} : std::vector<int64_t>{1, 3}, scales},
        {"w", {2, 3}, {}, integers}};
    write_safetensors(files, "x", written);
    const SafetensorsFile file(files, "x");
    std::vector<real> values(6);
    const std::vector<TensorSlot> wanted{{"w", {2, 3}, values}};
    CHECK(differences(file.table(), wanted).empty());
    const std::string& contents = files.contents("x");
    CHECK(file.read(wanted) == Fingerprint{contents.size(), content_hash(contents)});
    CHECK(values == (by_rows ? std::vector<real>{2, -4, 6, real(-63.5), real(63.5), 0}
                             : std::vector<real>{2, -1, 12, -254, real(63.5), 0}));
  }
}

TEST_CASE("a matrix of integers without scales that fit is refused") {
  const std::vector<int8_t> integers{1, 2, 3, 4, 5, 6};
  const std::vector<real> two{1, 2};
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{2}, {1, 2}, {2, 1, 1}}) {
    SimulatedFiles files;
    write_safetensors(
        files, "x", std::vector<NamedTensor>{{"w", {2, 3}, {}, integers}, {"w.scale", shape, two}});
    const SafetensorsFile file(files, "x");
    std::vector<real> values(6);
    const std::vector<TensorSlot> wanted{{"w", {2, 3}, values}};
    CHECK(differences(file.table(), wanted).front() == "w is of type I8");
    CHECK_THROWS_WITH_AS(file.read(wanted), doctest::Contains("x: the values of w are I8"), Error);
  }
}

TEST_CASE("differences between a file and the wanted tensors are reported in few lines") {
  SimulatedFiles files;
  SmallRun run;
  write_safetensors(files, "x", run.model<NamedTensor>());
  const SafetensorsFile file(files, "x");
  auto wanted = run.model<TensorSlot>();
  wanted[0].shape = {3, 2};
  wanted[3].name = "other";
  CHECK(differences(file.table(), wanted) ==
        std::vector<std::string>{"layer.0 is [2, 3], but [3, 2] is needed", "other is missing",
                                 "layer.3 is not needed"});
  CHECK(differences(file.table(), wanted, 2) ==
        std::vector<std::string>{"layer.0 is [2, 3], but [3, 2] is needed",
                                 "and 2 more differences"});
}

TEST_CASE("a file written by another implementation is read") {
  const std::string path = CALQUE_SOURCE_DIR "/tests/train/data/other_writer.safetensors";
  const SafetensorsFile file(real_files(), path);
  CHECK(file.table().metadata.at("format") == "pt");
  std::vector<real> matrix(6), scalar(1);
  file.read(std::vector<TensorSlot>{{"matrix", {2, 3}, matrix}, {"scalar", {}, scalar}});
  CHECK(matrix == std::vector<real>{0, 1, 2, 3, 4, real(5.5)});
  CHECK(scalar[0] == -1);
}
