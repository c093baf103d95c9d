// pytorch_model.bin: archives as PyTorch writes them, made here instruction by instruction.
#include "interop/files/torch_file.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "core/error.h"
#include "data/temporary_folder.h"
#include "interop/files/pickle.h"
#include "interop/files/zip.h"
#include "support/message_of.h"

namespace calque {
namespace {

template <class Number>
std::string little(Number number) {
  return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

// Instructions of pickle, protocol 2.
std::string number(int64_t value) { return "\x8a\x08" + little(value); }
std::string text(const std::string& value) {
  return "X" + little(static_cast<uint32_t>(value.size())) + value;
}
std::string name(const std::string& module, const std::string& own) {
  return "c" + module + "\n" + own + "\n";
}
std::string tuple(const std::vector<std::string>& items) {
  std::string all = "(";
  for (const std::string& item : items) all += item;
  return all + "t";
}
std::string numbers(const std::vector<int64_t>& values) {
  std::vector<std::string> items;
  for (const int64_t value : values) items.push_back(number(value));
  return tuple(items);
}
const std::string dictionary = name("collections", "OrderedDict") + ")R", stop = ".";

std::string storage(const std::string& type, const std::string& key, int64_t size) {
  return tuple({text("storage"), name("torch", type), text(key), text("cpu"), number(size)}) + "Q";
}
std::string tensor(const std::string& from, int64_t offset, const std::vector<int64_t>& sizes,
                   const std::vector<int64_t>& strides) {
  return name("torch._utils", "_rebuild_tensor_v2") +
         tuple({from, number(offset), numbers(sizes), numbers(strides), "\x89", dictionary}) + "R";
}
std::string pickle_of(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string all = "\x80\x02" + dictionary + "(";
  for (const auto& [key, value] : items) all += text(key) + value;
  return all + "u" + stop;
}

std::string floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}
const std::string six = floats({1, 2, 3, 4, 5, 6});

std::string archive_of(const std::string& pickle, const std::string& bytes = six,
                       const std::string& key = "0") {
  ZipWriter archive("x.bin");
  archive.add("model/data.pkl", pickle);
  archive.add("model/byteorder", "little");
  archive.add("model/data/" + key, bytes);
  return archive.finish();
}

ForeignTensors read(const std::string& archive) {
  ForeignTensors tensors("x.bin");
  add_torch_tensors(archive, "x.bin", tensors);
  return tensors;
}
std::vector<real> values(const ForeignTensors& tensors, const std::string& of) {
  REQUIRE(tensors.find(of));
  const auto span = tensors.find(of)->span();
  return {span.begin(), span.end()};
}
std::string refused(const std::string& pickle, const std::string& bytes = six) {
  return message_of<Error>([&] { read(archive_of(pickle, bytes)); });
}

TEST_CASE("tensors of one storage are read by their offsets and strides") {
  const std::string all = storage("FloatStorage", "0", 6);
  const ForeignTensors tensors =
      read(archive_of(pickle_of({{"a", tensor(all, 0, {2, 3}, {3, 1})},
                                 {"transposed", tensor(all, 0, {3, 2}, {1, 3})},
                                 {"row", tensor(all, 3, {3}, {1})},
                                 {"column", tensor(all, 1, {2, 1}, {3, 1})},
                                 {"one", tensor(all, 5, {}, {})},
                                 {"cube", tensor(all, 0, {3, 1, 2}, {1, 1LL << 62, 3})},
                                 {"none", tensor(all, 6, {0, 3}, {3, 1})}})));
  CHECK(tensors.find("a")->shape() == Shape{2, 3});
  CHECK(values(tensors, "a") == std::vector<real>{1, 2, 3, 4, 5, 6});
  CHECK(tensors.find("transposed")->shape() == Shape{3, 2});
  CHECK(values(tensors, "transposed") == std::vector<real>{1, 4, 2, 5, 3, 6});
  CHECK(values(tensors, "row") == std::vector<real>{4, 5, 6});
  CHECK(values(tensors, "column") == std::vector<real>{2, 5});
  CHECK(values(tensors, "one") == std::vector<real>{6});
  CHECK(values(tensors, "cube") == std::vector<real>{1, 4, 2, 5, 3, 6});
  CHECK(tensors.find("none")->size() == 0);
}

TEST_CASE("half precision is read, and a tensor of whole numbers cannot be taken") {
  const auto two = [](uint16_t a, uint16_t b) { return little(a) + little(b); };
  const auto first = [](const std::string& type, const std::string& bytes) {
    const int64_t size = type == "LongStorage" ? 1 : 2;
    return read(
        archive_of(pickle_of({{"a", tensor(storage(type, "0", size), 0, {size}, {1})}}), bytes));
  };
  CHECK(values(first("HalfStorage", two(0x3c00, 0xc000)), "a") == std::vector<real>{1, -2});
  CHECK(values(first("BFloat16Storage", two(0x3f80, 0xc000)), "a") == std::vector<real>{1, -2});
  ForeignTensors whole = first("LongStorage", little(int64_t{7}));
  whole.finish();
  CHECK(message_of<Error>([&] { whole.take("a", {1}); }) ==
        "x.bin: a is of type I64, but floating-point numbers are needed");
}

TEST_CASE("parameters, shared objects and the versions of modules are read") {
  const std::string parameter =
      name("torch._utils", "_rebuild_parameter") + "q\x01" +
      tuple({tensor(storage("FloatStorage", "0", 6), 4, {2}, {1}), "\x88", dictionary}) + "Rq\x02";
  const std::string versions = "}" + text("_metadata") + dictionary + text("") + "}" +
                               text("version") + "K\x01" + "s" + "s" + "s" + "b";
  std::string pickle = pickle_of({{"a", parameter}, {"b", "h\x02"}});
  pickle.insert(pickle.size() - 1, versions);
  const ForeignTensors tensors = read(archive_of(pickle));
  CHECK(values(tensors, "a") == std::vector<real>{5, 6});
  CHECK(values(tensors, "b") == std::vector<real>{5, 6});
}

TEST_CASE("a pickle that calls a function or does not build a dictionary of tensors is refused") {
  CHECK(refused("\x80\x02" + name("os", "system") + text("true") + "\x85R.") ==
        "x.bin: model/data.pkl: names os.system, which no tensor needs; calque runs no code");
  CHECK(refused("\x80\x04.") == "x.bin: model/data.pkl: is a pickle of another protocol than 2");
  CHECK(refused("\x80\x02ios\nsystem\n.") ==
        "x.bin: model/data.pkl: has the instruction 0x69 at byte 2, which tensors do not need");
  const std::string rest =
      "x.bin: model/data.pkl: is not a dictionary of tensors that torch.save() wrote";
  for (const std::string& other : std::initializer_list<std::string>{
           "\x80\x02.", "\x80\x02K\x01.", "\x80\x02" + dictionary + "h\x05.",
           "\x80\x02" + dictionary + "K\x01s.", "\x80\x02" + dictionary + text("a") + "R.",
           "\x80\x02(.", "\x80\x02" + tuple({"K\x01"}) + "Q."}) {
    CHECK(refused(other) == rest);
  }
  CHECK(refused(pickle_of({{"state", dictionary}})) ==
        "x.bin: model/data.pkl: state is not a tensor; save the model's state_dict()");
  CHECK(refused(pickle_of({}) + ".") == "x.bin: model/data.pkl: has bytes after its end");
}

TEST_CASE("a pickle cut anywhere is refused") {
  const std::string pickle =
      pickle_of({{"a", tensor(storage("FloatStorage", "0", 6), 0, {2, 3}, {3, 1})}});
  read(archive_of(pickle));
  for (size_t length = 0; length < pickle.size(); ++length) {
    CHECK(refused(pickle.substr(0, length)) == "x.bin: model/data.pkl: ends too early");
  }
}

TEST_CASE("a tensor outside its storage is refused by name") {
  const std::string all = storage("FloatStorage", "0", 6);
  const std::string larger = "x.bin: model/data.pkl: a is larger than its storage of 6 numbers";
  for (const std::string& wrong :
       {tensor(all, 1, {2, 3}, {3, 1}), tensor(all, -1, {2}, {1}), tensor(all, 5, {2}, {-1}),
        tensor(all, 0, {2, 3}, {1}), tensor(all, 0, {1000000}, {0}), tensor(all, 0, {7}, {0}),
        tensor(all, 0, {1LL << 62, 4}, {0, 0}), tensor(all, 1, {2}, {INT64_MAX}),
        tensor(all, 6, {}, {}), tensor(all, 0, {-1, -1}, {1, 1})}) {
    CHECK(refused(pickle_of({{"a", wrong}})) == larger);
  }
  CHECK(refused(pickle_of(
            {{"a", tensor(all, 0, std::vector<int64_t>(100, 1), std::vector<int64_t>(100, 1))}})) ==
        "x.bin: model/data.pkl: has a tensor of too many axes");
}

TEST_CASE("a storage of another size, a missing storage and infinite numbers are refused") {
  const auto one = [](const std::string& key, int64_t size) {
    return pickle_of({{"a", tensor(storage("FloatStorage", key, size), 0, {2}, {1})}});
  };
  const std::string size =
      "x.bin: model/data/0: has {} bytes, but a is in a storage of {} numbers of type F32";
  CHECK(refused(one("0", 6), six.substr(1)) == fmt::format(fmt::runtime(size), 23, 6));
  CHECK(refused(one("0", 5)) == fmt::format(fmt::runtime(size), 24, 5));
  CHECK(refused(one("0", INT64_MAX)) == fmt::format(fmt::runtime(size), 24, INT64_MAX));
  CHECK(refused(one("../0", 6)) == "x.bin: model/data/../0: is missing, the storage of a");
  CHECK(refused(one("0", 2), floats({1, HUGE_VALF})) ==
        "x.bin: a holds a value that is infinite or not a number");
  const std::string all = tensor(storage("FloatStorage", "0", 6), 0, {6}, {1});
  CHECK(refused(pickle_of({{"a", all}, {"a", all}})) == "x.bin: a is there twice");
}

TEST_CASE("the highest bit of a number is its sign, however many bytes it has") {
  const std::vector<float> zeros(300);
  const auto message = [&](const std::string& offset) {
    const std::string one = name("torch._utils", "_rebuild_tensor_v2") +
                            tuple({storage("FloatStorage", "0", 300), offset, numbers({1}),
                                   numbers({1}), "\x89", dictionary}) +
                            "R";
    return message_of<Error>([&] { read(archive_of(pickle_of({{"a", one}}), floats(zeros))); });
  };
  CHECK(message(std::string("\x8a\x02\xff\x00", 4)) == "");  // 255
  CHECK(message("\x8a\x01\xff") ==
        "x.bin: model/data.pkl: a is larger than its storage of 300 numbers");  // -1
}

TEST_CASE("too many tensors over one storage are refused") {
  const std::string first = tensor(storage("FloatStorage", "0", 1000), 0, {1000}, {1}) + "q\x01";
  std::vector<std::pair<std::string, std::string>> items = {{"0", first}};
  for (int i = 1; i < 100; ++i) items.emplace_back(std::to_string(i), "h\x01");
  CHECK(refused(pickle_of(items), floats(std::vector<float>(1000, 1))) ==
        "x.bin: too many tensors share a storage");
}

TEST_CASE("an archive that has no data.pkl, is big-endian or is of an old PyTorch is refused") {
  const auto message = [](const std::string& archive) {
    return message_of<Error>([&] { read(archive); });
  };
  ZipWriter other("x.bin"), big("x.bin");
  other.add("a/b", "");
  CHECK(message(other.finish()) == "x.bin: has no data.pkl; torch.save() did not write it");
  big.add("a/data.pkl", pickle_of({}));
  big.add("a/byteorder", "big");
  CHECK(message(big.finish()) == "x.bin: a/byteorder: must be little");
  CHECK(message("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9 and more") ==
        "x.bin: is a file of PyTorch before 1.6; load it and save it with a newer one");
}

TEST_CASE("the weights of a folder are in pytorch_model.bin if it has no model.safetensors") {
  const TemporaryFolder folder;
  const std::string pickle =
      pickle_of({{"a", tensor(storage("FloatStorage", "0", 6), 0, {2, 3}, {3, 1})}});
  SUBCASE("one file") { folder.write("pytorch_model.bin", archive_of(pickle)); }
  SUBCASE("an index of files") {
    folder.write("pytorch_model.bin.index.json", R"({"weight_map": {"a": "part-1.bin"}})");
    folder.write("part-1.bin", archive_of(pickle));
  }
  CHECK(values(read_weights_folder(folder.path("")), "a") == std::vector<real>{1, 2, 3, 4, 5, 6});
  folder.write("model.safetensors", "");
  CHECK(message_of<Error>([&] {
          read_weights_folder(folder.path(""));
        }).find("model.safetensors: not a whole safetensors file") != std::string::npos);
}

}  // namespace
}  // namespace calque
