#include "interop/gguf/file.h"

#include <algorithm>

#include "core/error.h"
#include "interop/files/binary.h"
#include "train/storage/durable_files.h"
#include "train/storage/safetensors_header.h"

namespace calque {

bool is_table(std::string_view name) {
  return name == "token_embd.weight" || name == "output.weight";
}
namespace {

constexpr std::string_view mark = "GGUF";
constexpr uint32_t version = 3;
constexpr size_t usual_alignment = 32;
enum Type : uint32_t {
  byte = 0,
  signed_byte = 1,
  half = 2,
  signed_half = 3,
  whole = 4,
  whole_signed = 5,
  number = 6,
  flag = 7,
  text = 8,
  list = 9,
  long_whole = 10,
  long_signed = 11,
  double_number = 12
};

// Of a type; 0: not fixed, or no type.
uint8_t size_of_gguf(uint32_t type) {
  constexpr uint8_t all[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return type < std::size(all) ? all[type] : uint8_t{0};
}

size_t aligned(size_t size, size_t alignment = usual_alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

class Writer {
 public:
  template <class Number>
  void append(Number value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void append_bytes(std::string_view bytes) { out_ += bytes; }
  void append_numbers(const Tensor& tensor, const GgufStorage& stored) {
    const size_t begin = out_.size();
    out_.resize(begin + stored.bytes_of(tensor));
    stored.encode(tensor.span(), reinterpret_cast<std::byte*>(&out_[begin]));
  }
  void append_text(std::string_view value) {
    append(uint64_t{value.size()});
    append_bytes(value);
  }

  void value(uint32_t x) { append(whole), append(x); }
  void value(float x) { append(number), append(x); }
  void value(bool x) { append(flag), append(static_cast<uint8_t>(x)); }
  void value(const std::string& x) { append(text), append_text(x); }
  void value(const std::vector<int32_t>& x) { append_list(whole_signed, x); }
  void value(const std::vector<float>& x) { append_list(number, x); }
  void value(std::monostate) { require(false, "gguf_bytes: a value without a type"); }
  void value(const std::vector<std::string>& x) {
    append(list), append(text), append(uint64_t{x.size()});
    for (const std::string& each : x) append_text(each);
  }

  void align() { out_.resize(aligned(out_.size())); }
  std::string take() { return std::move(out_); }

 private:
  template <class Number>
  void append_list(Type type, const std::vector<Number>& x) {
    append(list), append(type), append(uint64_t{x.size()});
    for (const Number each : x) append(each);
  }
  std::string out_;
};

class GgufReader {
 public:
  GgufReader(std::string_view bytes, const std::string& place)
      : all_(bytes), in_(bytes, place, "; it is not a GGUF file that calque reads") {}

  std::string_view take(uint64_t count) { return in_.take(count); }
  template <class Number>
  Number read() {
    return in_.number<Number>();
  }
  std::string read_text() { return std::string(take(read<uint64_t>())); }

  GgufValue value() {
    switch (read<uint32_t>()) {
      case whole:
        return read<uint32_t>();
      case number:
        return read<float>();
      case flag:
        return read<uint8_t>() != 0;
      case text:
        return read_text();
      case list:
        return read_list();
      case byte:
        return whole_number(read<uint8_t>());
      case signed_byte:
        return whole_number(read<int8_t>());
      case half:
        return whole_number(read<uint16_t>());
      case signed_half:
        return whole_number(read<int16_t>());
      case whole_signed:
        return whole_number(read<int32_t>());
      case long_whole:
        return whole_number(read<uint64_t>());
      case long_signed:
        return whole_number(read<int64_t>());
      case double_number:
        return static_cast<float>(read<double>());
      default:
        refuse("has a value of an unknown type");
    }
  }

  // The bytes from the next multiple of `alignment` on.
  std::string_view data(size_t alignment) {
    const size_t begin = aligned(in_.offset(), alignment);
    if (begin > all_.size()) refuse("ends too early");
    return all_.substr(begin);
  }
  [[noreturn]] void refuse(std::string_view why) const { in_.refuse(why); }

 private:
  template <class Number>
  static GgufValue whole_number(Number x) {
    const bool fits = x >= 0 && static_cast<uint64_t>(x) <= UINT32_MAX;
    return fits ? GgufValue(static_cast<uint32_t>(x)) : GgufValue(std::monostate());
  }
  // Skips a list that calque does not use, of elements of `size` bytes.
  GgufValue skipped(uint64_t size) {
    const auto count = read<uint64_t>();
    if (count > in_.rest().size() / size) refuse("ends too early");
    take(count * size);
    return std::monostate();
  }
  template <class Number, class Read>
  std::vector<Number> numbers(Read&& one) {
    std::vector<Number> values;
    for (auto count = read<uint64_t>(); count > 0; --count) values.push_back(one());
    return values;
  }
  GgufValue read_list() {
    const auto type = read<uint32_t>();
    switch (type) {
      case whole_signed:
        return numbers<int32_t>([&] { return read<int32_t>(); });
      case number:
        return numbers<float>([&] { return read<float>(); });
      case text:
        return numbers<std::string>([&] { return read_text(); });
      default:
        if (size_of_gguf(type) == 0) refuse("has a list of an unknown type");
        return skipped(size_of_gguf(type));
    }
  }

  std::string_view all_;
  BinaryReader in_;
};

struct TensorInfo {
  std::string name;
  std::vector<int64_t> sizes;
  const GgufStorage* storage = nullptr;
  uint64_t offset = 0;
};

TensorInfo read_tensor_info(GgufReader& in, const std::string& place) {
  TensorInfo tensor{.name = in.read_text(), .sizes = {}};
  const auto axes = in.read<uint32_t>();
  if (axes > Shape::most_axes) in.refuse("has a tensor of too many axes");
  uint64_t elements = 1;  // axes of size 0 count as 1, as in Shape
  for (uint32_t i = 0; i < axes; ++i) {
    const auto size = in.read<uint64_t>();
    if (size > UINT32_MAX || (elements *= std::max<uint64_t>(size, 1)) > UINT32_MAX) {
      in.refuse("has a tensor that is too large");
    }
    tensor.sizes.insert(tensor.sizes.begin(), static_cast<int64_t>(size));
  }
  const auto type = in.read<uint32_t>();
  tensor.storage = gguf_storage(type);
  if (!tensor.storage) {
    fail(
        "{}: {} is quantized in a way that calque does not read (type {}); it reads F32, F16, "
        "BF16, "
        "Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K and Q6_K",
        place, printable(tensor.name), type);
  }
  if (elements > 0 && !tensor.sizes.empty() && tensor.sizes.back() % tensor.storage->numbers != 0) {
    fail("{}: {} is {}, but has rows of {} numbers, no whole blocks of {}", place,
         printable(tensor.name), tensor.storage->name, tensor.sizes.back(),
         tensor.storage->numbers);
  }
  tensor.offset = in.read<uint64_t>();
  return tensor;
}

Precision form_of(std::span<const TensorInfo> infos) {
  bool quantized = false, four_bits = true, halves = true;
  for (const TensorInfo& info : infos) {
    if (info.sizes.size() < 2) continue;
    quantized |= info.storage->numbers > 1;
    four_bits &= info.storage->name == "Q4_0" || is_table(info.name);
    halves &= info.storage->name == "BF16";
  }
  if (quantized) return four_bits ? Precision::q4_0 : Precision::q8_0;
  return halves ? Precision::bfloat16 : Precision::full;
}

Tensor read_tensor(std::string_view data, const TensorInfo& info, const GgufReader& in) {
  const Shape shape{std::span<const int64_t>(info.sizes)};
  const GgufStorage& storage = *info.storage;
  const auto bytes = static_cast<uint64_t>(shape.elements() / storage.numbers * storage.bytes);
  if (info.offset > data.size() || bytes > data.size() - info.offset) {
    in.refuse("ends too early");
  }
  Tensor tensor(shape);
  const char* const from = data.data() + info.offset;
  storage.decode(reinterpret_cast<const std::byte*>(from), tensor.span());
  return tensor;
}

}  // namespace

std::string gguf_bytes(const GgufFile& file, std::span<const GgufStorage* const> stored) {
  const auto storage_of = [&](size_t i) -> const GgufStorage& {
    return stored.empty() ? *gguf_storage("F32") : *stored[i];
  };
  Writer out;
  for (const char c : mark) out.append(c);
  out.append(version);
  out.append(uint64_t{file.tensors.size()});
  out.append(uint64_t{file.values.size()});
  for (const auto& [key, value] : file.values) {
    out.append_text(key);
    std::visit([&](const auto& own) { out.value(own); }, value);
  }
  uint64_t offset = 0;
  for (size_t t = 0; t < file.tensors.size(); ++t) {
    const auto& [name, tensor] = file.tensors[t];
    out.append_text(name);
    const auto sizes = tensor.shape().sizes();
    out.append(static_cast<uint32_t>(sizes.size()));
    for (size_t i = sizes.size(); i-- > 0;) out.append(static_cast<uint64_t>(sizes[i]));
    out.append(storage_of(t).type);
    out.append(offset);
    offset += aligned(storage_of(t).bytes_of(tensor));
  }
  for (size_t t = 0; t < file.tensors.size(); ++t) {
    out.align();
    out.append_numbers(file.tensors[t].tensor, storage_of(t));
  }
  out.align();
  return out.take();
}

GgufFile parse_gguf(std::string_view bytes, const std::string& place) {
  GgufReader in(bytes, place);
  if (in.take(mark.size()) != mark) in.refuse("does not begin with GGUF");
  const auto found = in.read<uint32_t>();
  if (found != 2 && found != version) in.refuse(fmt::format("is of version {}", found));
  auto tensors = in.read<uint64_t>(), values = in.read<uint64_t>();
  GgufFile file;
  for (; values > 0; --values) {
    std::string key = in.read_text();
    file.values.emplace_back(std::move(key), in.value());
  }
  size_t alignment = usual_alignment;
  for (const auto& [key, value] : file.values) {
    if (key != "general.alignment") continue;
    const auto* number = std::get_if<uint32_t>(&value);
    if (!number || *number == 0 || *number > 65536) in.refuse("has an invalid alignment");
    alignment = *number;
  }
  std::vector<TensorInfo> infos;
  for (; tensors > 0; --tensors) infos.push_back(read_tensor_info(in, place));
  file.form = form_of(infos);
  const std::string_view data = in.data(alignment);
  for (const TensorInfo& info : infos) {
    file.tensors.push_back({info.name, read_tensor(data, info, in)});
  }
  return file;
}

}  // namespace calque
