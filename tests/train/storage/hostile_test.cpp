// Hostile and damaged safetensors headers.

#include <doctest/doctest.h>

#include <cstring>

#include "support/message_of.h"
#include "support/simulated_files.h"
#include "train/storage/safetensors.h"

using namespace calque;

namespace {

std::string refusal(const std::string& contents) {
  SimulatedFiles files;
  write_text(files, "x", contents);
  return message_of([&] { const SafetensorsFile file(files, "x"); });
}

std::string with_length(uint64_t length, std::string_view rest) {
  return std::string(reinterpret_cast<const char*>(&length), 8).append(rest);
}

// The error for a header that is followed by this many bytes of values.
std::string refused(std::string_view header, size_t values) {
  return refusal(with_length(header.size(), header) + std::string(values, '\0'));
}

struct Case {
  std::string header;
  size_t values;
  std::string why;
};

void check(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    CAPTURE(one.header);
    const std::string message = refused(one.header, one.values);
    CAPTURE(message);
    CHECK(message.starts_with("x: not a whole safetensors file: "));
    CHECK(message.find(one.why) != message.npos);
  }
}

std::string tensor(const std::string& name, const std::string& fields) {
  return "\"" + name + "\":{" + fields + "}";
}

}  // namespace

TEST_CASE("a header's length beyond the file, or beyond the limit, is refused") {
  CHECK(refusal("").find("it has 0 bytes") != std::string::npos);
  CHECK(refusal("1234567").find("it has 7 bytes") != std::string::npos);
  CHECK(refusal(with_length(3, "{}")).find("would have 3 bytes") != std::string::npos);
  CHECK(refusal(with_length(uint64_t{1} << 62, "{}")).find("at most") != std::string::npos);
  CHECK(refusal(with_length(~uint64_t{0}, "{}")).find("at most") != std::string::npos);
  CHECK(refusal(with_length(100'000'001, "{}")).find("at most") != std::string::npos);
  CHECK(refusal(with_length(100'000'000, "{}")).find("the file has 10") != std::string::npos);
  CHECK(refusal(with_length(2, "{}")).empty());
}

TEST_CASE("a header that is not one JSON object is refused") {
  check({{"", 0, "brace"},
         {"[]", 0, "brace"},
         {" {}", 0, "brace"},
         {"\xEF\xBB\xBF{}", 0, "brace"},
         {"{", 0, "JSON"},
         {"{}{}", 0, "JSON"},
         {"{} x", 0, "JSON"},
         {std::string("{}\0x", 4), 0, "zero byte"},
         {"{\"\xFF\":1}", 0, "JSON"},
         {"{\"\xC0\x80\":1}", 0, "JSON"},
         {R"({"\ud800":1})", 0, "JSON"},
         {"{'a':1}", 0, "JSON"},
         {"{/**/}", 0, "JSON"}});
  CHECK(refused("{}  \n  ", 0).empty());
}

TEST_CASE("anything but tensors and metadata in a header is refused") {
  const std::string fields = R"("dtype":"F32","shape":[],"data_offsets":[0,4])";
  check({{R"({"a":1})", 0, "number"},
         {R"({"a":null})", 0, "null"},
         {R"({"a":true})", 0, "true"},
         {R"({"a":"F32"})", 0, "text"},
         {R"({"a":[]})", 0, "list"},
         {R"({"a":{}})", 0, "must have dtype"},
         {R"({"a":{"dtype":{}}})", 0, "object"},
         {R"({"a":{"dtype":[]}})", 0, "list"},
         {R"({"a":{"dtype":4}})", 0, "number"},
         {R"({"a":{"shape":"4"}})", 0, "text"},
         {R"({"a":{"shape":[[4]]}})", 0, "list"},
         {R"({"a":{"shape":[{}]}})", 0, "object"},
         {R"({"a":{"shape":["4"]}})", 0, "text"},
         {R"({"a":{"offsets":[0,4]}})", 0, "unknown"},
         {"{" + tensor("a", fields + R"(,"x":0)") + "}", 4, "unknown"},
         {"{" + tensor("a", R"("dtype":"F32","shape":[])") + "}", 4, "must have dtype"},
         {R"({"__metadata__":1})", 0, "number"},
         {R"({"__metadata__":[]})", 0, "list"},
         {R"({"__metadata__":{"a":1}})", 0, "number"},
         {R"({"__metadata__":{"a":null}})", 0, "null"},
         {R"({"__metadata__":{"a":{}}})", 0, "object"}});
  CHECK(refused("{" + tensor("a", fields) + "}", 4).empty());
  CHECK(refused(R"({"__metadata__":{}})", 0).empty());
}

TEST_CASE("repeated names, fields and metadata are refused") {
  const std::string fields = R"("dtype":"F32","shape":[],"data_offsets":[0,4])";
  check({{"{" + tensor("a", fields) + "," + tensor("a", fields) + "}", 4, "twice"},
         {"{" + tensor("a", fields) + "," + tensor("\\u0061", fields) + "}", 4, "twice"},
         {"{" + tensor("a", fields + R"(,"dtype":"F32")") + "}", 4, "twice"},
         {R"({"__metadata__":{},"__metadata__":{}})", 0, "twice"},
         {R"({"__metadata__":{"a":"1","a":"1"}})", 0, "twice"}});
}

TEST_CASE("numbers that are not sizes are refused, and so are sizes that overflow") {
  const auto shape = [](const std::string& text) {
    return "{" + tensor("a", R"("dtype":"F32","shape":[)" + text + R"(],"data_offsets":[0,4])") +
           "}";
  };
  const auto offsets = [](const std::string& text) {
    return "{" + tensor("a", R"("dtype":"F32","shape":[],"data_offsets":[)" + text + "]") + "}";
  };
  check({{shape("-1"), 4, "whole number"},
         {shape("1.0"), 4, "whole number"},
         {shape("1e0"), 4, "whole number"},
         {shape("18446744073709551616"), 4, "whole number"},
         {shape("9223372036854775808"), 4, "whole number"},
         {shape("4294967296,4294967296"), 4, "counted"},
         {shape("4611686018427387905"), 4, "counted"},  // times four overflows to 4
         {shape("2147483648,2147483648,4"), 4, "counted"},
         {shape("2"), 4, "needs 8 bytes"},
         {shape("0"), 4, "needs 0 bytes"},
         {offsets(""), 4, "two data_offsets"},
         {offsets("0"), 4, "two data_offsets"},
         {offsets("0,4,4"), 4, "two data_offsets"},
         {offsets("4,0"), 4, "needs 4 bytes"},
         {offsets("-4,0"), 4, "whole number"},
         {offsets("18446744073709551612,18446744073709551616"), 4, "whole number"},
         {offsets("18446744073709551611,18446744073709551615"), 4, "begins at"}});
}

TEST_CASE("an unknown element type is refused") {
  check({{"{" + tensor("a", R"("dtype":"F33","shape":[],"data_offsets":[0,4])") + "}", 4, "F33"},
         {"{" + tensor("a", R"("dtype":"","shape":[],"data_offsets":[0,4])") + "}", 4, "dtype"}});
}

TEST_CASE("overlaps, gaps and bytes that belong to no tensor are refused") {
  const auto two = [](const std::string& a, const std::string& b) {
    return "{" + tensor("a", R"("dtype":"F32","shape":[1],"data_offsets":[)" + a + "]") + "," +
           tensor("b", R"("dtype":"F32","shape":[1],"data_offsets":[)" + b + "]") + "}";
  };
  CHECK(refused(two("0,4", "4,8"), 8).empty());
  CHECK(refused(two("4,8", "0,4"), 8).empty());
  check({{two("0,4", "0,4"), 8, "begins at 0"},
         {two("0,4", "2,6"), 6, "begins at 2"},
         {two("0,4", "8,12"), 12, "begins at 8"},
         {two("4,8", "8,12"), 12, "begins at 4"},
         {two("0,4", "4,8"), 9, "there are 9 bytes"},
         {two("0,4", "4,8"), 7, "there are 7 bytes"},
         {"{}", 1, "there are 1 bytes"}});
}

TEST_CASE(
    "deep nesting is refused, and messages shorten long names and escape control characters") {
  CHECK(refused("{\"a\":" + std::string(1'000'000, '['), 0).find("list") != std::string::npos);
  const std::string message = refused("{\"" + std::string(1'000'000, 'n') + "\":{\"\x1B\":0}}", 0);
  CHECK(message.size() < 300);
  const std::string control = refused(R"({"evil[31m\u001b":{"dtype":"?"}})", 0);
  CHECK(control.find('\x1B') == control.npos);
}
