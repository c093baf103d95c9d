#include "interop/gguf_file.h"

#include <cstring>

#include "core/error.h"

namespace calque {
namespace {

constexpr std::string_view mark = "GGUF";
constexpr uint32_t version = 3, float32 = 0;
constexpr size_t alignment = 32;
enum Type : uint32_t { whole = 4, whole_signed = 5, number = 6, flag = 7, text = 8, list = 9 };

size_t aligned(size_t size) { return (size + alignment - 1) / alignment * alignment; }

class Writer {
 public:
  template <class Number>
  void append(Number value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void append_text(std::string_view value) {
    append(uint64_t{value.size()});
    out_ += value;
  }

  void value(uint32_t x) { append(whole), append(x); }
  void value(float x) { append(number), append(x); }
  void value(bool x) { append(flag), append(static_cast<uint8_t>(x)); }
  void value(const std::string& x) { append(text), append_text(x); }
  void value(const std::vector<int32_t>& x) { append_list(whole_signed, x); }
  void value(const std::vector<float>& x) { append_list(number, x); }
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
      : all_(bytes), rest_(bytes), place_(place) {}

  std::string_view take(uint64_t count) {
    if (count > rest_.size()) refuse("ends too early");
    const std::string_view part = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return part;
  }
  template <class Number>
  Number read() {
    Number value;
    std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
    return value;
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
      default:
        refuse("has a value of a type that calque does not write");
    }
  }

  // The bytes from here on, after alignment.
  std::string_view data() {
    const size_t begin = aligned(all_.size() - rest_.size());
    if (begin > all_.size()) refuse("ends too early");
    return all_.substr(begin);
  }
  [[noreturn]] void refuse(std::string_view why) const {
    fail("{}: {}; it is not a GGUF file of version {}", place_, why, version);
  }

 private:
  template <class Number, class Read>
  std::vector<Number> numbers(Read&& one) {
    std::vector<Number> values;
    for (auto count = read<uint64_t>(); count > 0; --count) values.push_back(one());
    return values;
  }
  GgufValue read_list() {
    switch (read<uint32_t>()) {
      case whole_signed:
        return numbers<int32_t>([&] { return read<int32_t>(); });
      case number:
        return numbers<float>([&] { return read<float>(); });
      case text:
        return numbers<std::string>([&] { return read_text(); });
      default:
        refuse("has a list of a type that calque does not write");
    }
  }

  std::string_view all_, rest_;
  const std::string& place_;
};

struct Described {
  std::string name;
  std::vector<int64_t> sizes;
  uint64_t offset = 0;
};

Described read_description(GgufReader& in) {
  Described tensor{.name = in.read_text(), .sizes = {}};
  const auto axes = in.read<uint32_t>();
  if (axes > Shape::most_axes) in.refuse("has a tensor of too many axes");
  uint64_t elements = 1;
  for (uint32_t i = 0; i < axes; ++i) {
    const auto size = in.read<uint64_t>();
    if (size > UINT32_MAX || (elements *= size) > UINT32_MAX) in.refuse("has a tensor too large");
    tensor.sizes.insert(tensor.sizes.begin(), static_cast<int64_t>(size));
  }
  if (in.read<uint32_t>() != float32) in.refuse("has a tensor of another type");
  tensor.offset = in.read<uint64_t>();
  return tensor;
}

Tensor read_tensor(std::string_view data, const Described& described, const GgufReader& in) {
  const Shape shape{std::span<const int64_t>(described.sizes)};
  const auto bytes = static_cast<uint64_t>(shape.elements()) * sizeof(float);
  if (described.offset > data.size() || bytes > data.size() - described.offset) {
    in.refuse("ends too early");
  }
  Tensor tensor(shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    float value;
    std::memcpy(&value, data.data() + described.offset + static_cast<uint64_t>(i) * sizeof(value),
                sizeof(value));
    tensor.data()[i] = static_cast<real>(value);
  }
  return tensor;
}

}  // namespace

std::string gguf_bytes(const GgufFile& file) {
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
  for (const auto& [name, tensor] : file.tensors) {
    out.append_text(name);
    const auto sizes = tensor.shape().sizes();
    out.append(static_cast<uint32_t>(sizes.size()));
    for (size_t i = sizes.size(); i-- > 0;) out.append(static_cast<uint64_t>(sizes[i]));
    out.append(float32);
    out.append(offset);
    offset += aligned(static_cast<size_t>(tensor.size()) * sizeof(float));
  }
  for (const auto& [name, tensor] : file.tensors) {
    out.align();
    for (const real value : tensor.span()) out.append(static_cast<float>(value));
  }
  out.align();
  return out.take();
}

GgufFile parse_gguf(std::string_view bytes, const std::string& place) {
  GgufReader in(bytes, place);
  if (in.take(mark.size()) != mark || in.read<uint32_t>() != version) in.refuse("begins otherwise");
  auto tensors = in.read<uint64_t>(), values = in.read<uint64_t>();
  GgufFile file;
  for (; values > 0; --values) {
    std::string key = in.read_text();
    file.values.emplace_back(std::move(key), in.value());
  }
  std::vector<Described> described;
  for (; tensors > 0; --tensors) described.push_back(read_description(in));
  const std::string_view data = in.data();
  for (const Described& tensor : described) {
    file.tensors.push_back({tensor.name, read_tensor(data, tensor, in)});
  }
  return file;
}

}  // namespace calque
