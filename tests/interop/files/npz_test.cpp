// Parameters under calque's names, in .npz and safetensors files.
#include "interop/files/npz.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "data/temporary_folder.h"
#include "interop/export_to.h"
#include "interop/small_translator.h"
#include "support/message_of.h"
#include "train/storage/safetensors.h"

namespace calque {
namespace {

TEST_CASE("parse_npz() returns the arrays that npz_bytes() has written") {
  const std::vector<NpyArray> arrays = {npy_array("a.b", Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6})),
                                        npy_array("scalar", Tensor::full({}, 9)),
                                        npy_array("vector", Tensor::full({4}, 2)),
                                        {"text", "|i1", {5}, "hello"}};
  CHECK(parse_npz(npz_bytes(arrays, "x.npz"), "x.npz") == arrays);
}

TEST_CASE("the data of an .npy file begin at a multiple of 64 bytes") {
  const NpyArray array = npy_array("a", Tensor::full({2, 1}, 1));
  const std::string bytes = npz_bytes({&array, 1}, "x.npz");
  const size_t begin = bytes.find("\x93NUMPY"), end = bytes.find('\n', begin);
  REQUIRE(end != std::string::npos);
  CHECK((end + 1 - begin) % 64 == 0);
  CHECK(bytes.find("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }") !=
        std::string::npos);
}

TEST_CASE("an .npz file that is cut off or damaged is refused") {
  const NpyArray array = npy_array("a", Tensor::full({2, 3}, 1));
  const std::string bytes = npz_bytes({&array, 1}, "x.npz");
  const size_t directory = bytes.find("PK\1\2");
  for (size_t length = 0; length < bytes.size(); ++length) {
    const std::string cut = bytes.substr(0, length);
    CHECK(message_of<Error>([&] { parse_npz(cut, "x.npz"); }).starts_with("x.npz: "));
  }
  std::string changed = bytes;
  changed[directory - 1] = char(changed[directory - 1] ^ 1);
  CHECK(message_of<Error>([&] { parse_npz(changed, "x.npz"); }).find("damaged") !=
        std::string::npos);
}

TEST_CASE("the exports for NumPy and as safetensors have every parameter under calque's name") {
  const TemporaryFolder folder;
  const SmallTranslator small(small_options());
  export_to("numpy", {}, small.parameters, folder.path("numpy"));
  const auto arrays = parse_npz(folder.read("numpy/model.npz"), "model.npz");
  export_to("safetensors", {}, small.parameters, folder.path("safe"));
  const SafetensorsFile file(real_files(), folder.path("safe/model.safetensors"));
  REQUIRE(arrays.size() == small.parameters.entries().size());
  REQUIRE(file.table().entries.size() == arrays.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Parameters::Entry& entry = small.parameters.entries()[i];
    CHECK(arrays[i] == npy_array(entry.name, entry.tensor));
    CHECK(file.table().entries[i].name == entry.name);
  }
}

}  // namespace
}  // namespace calque
