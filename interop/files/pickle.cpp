#include "interop/files/pickle.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "core/shape.h"
#include "data/text/utf8.h"
#include "interop/files/binary.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

enum class PickleKind { mark, none, truth, number, text, tuple, dictionary, name, storage, tensor };

// What a name of Python stands for.
enum class PickleName { dictionary, tensor, parameter, storage };

struct StorageName {
  std::string_view name, type;
};
constexpr StorageName storage_names[] = {
    {"torch FloatStorage", "F32"},  {"torch HalfStorage", "F16"}, {"torch BFloat16Storage", "BF16"},
    {"torch DoubleStorage", "F64"}, {"torch LongStorage", "I64"}, {"torch IntStorage", "I32"},
    {"torch ShortStorage", "I16"},  {"torch CharStorage", "I8"},  {"torch ByteStorage", "U8"},
    {"torch BoolStorage", "BOOL"}};

// Objects refer to each other by number, so an object that contains itself is harmless.
using Object = uint32_t;
struct PickleObject {
  PickleKind kind = PickleKind::none;
  int64_t number = 0;              // a number or truth; of a storage, the number of its elements
  std::string_view text = {};      // a text; of a storage, its key
  std::vector<Object> items = {};  // of a tuple; of a dictionary, keys and values in turn; of a
                                   // tensor, its storage, offset, sizes and strides
  PickleName name = PickleName::dictionary;
  const ElementType* type = nullptr;  // of a storage, or of its name
};

class PickleMachine {
 public:
  PickleMachine(std::string_view bytes, const std::string& place) : in_(bytes, place) {}

  std::vector<TorchTensor> tensors() {
    while (step()) {
    }
    if (!in_.rest().empty()) refuse("has bytes after its end");
    const Object top = pop();
    if (!stack_.empty()) refuse("ends with more than one object on the stack");
    return tensors_of(of_kind(top, PickleKind::dictionary));
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const { in_.refuse(why); }
  [[noreturn]] void refuse_rest() const {
    refuse("is not a dictionary of tensors that torch.save() wrote");
  }

  std::string_view take(uint64_t size) { return in_.take(size); }
  template <class Number>
  Number take_number() {
    return in_.number<Number>();
  }
  std::string_view take_line() {
    const size_t end = in_.rest().find('\n');
    if (end == std::string_view::npos) refuse("ends too early");
    return take(end + 1).substr(0, end);
  }
  // Little-endian in two's complement, of at most 64 bits.
  int64_t take_long() {
    const std::string_view digits = take(take_number<uint8_t>());
    if (digits.size() > sizeof(int64_t)) refuse("has a number of more than 64 bits");
    int64_t number = !digits.empty() && static_cast<signed char>(digits.back()) < 0 ? -1 : 0;
    std::memcpy(&number, digits.data(), digits.size());
    return number;
  }

  void push(PickleObject object) {
    objects_.push_back(std::move(object));
    stack_.push_back(static_cast<Object>(objects_.size() - 1));
  }
  Object pop() {
    if (stack_.empty()) refuse_rest();
    const Object top = stack_.back();
    stack_.pop_back();
    return top;
  }
  const PickleObject& of_kind(Object object, PickleKind kind) const {
    if (objects_[object].kind != kind) refuse_rest();
    return objects_[object];
  }
  std::vector<Object> pop_many(size_t count) {
    if (stack_.size() < count) refuse_rest();
    const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
    std::vector<Object> many(first, stack_.end());
    stack_.erase(first, stack_.end());
    return many;
  }
  std::vector<Object> pop_to_mark() {
    const auto mark = std::find_if(stack_.rbegin(), stack_.rend(), [&](Object object) {
      return objects_[object].kind == PickleKind::mark;
    });
    if (mark == stack_.rend()) refuse_rest();
    std::vector<Object> many = pop_many(static_cast<size_t>(mark - stack_.rbegin()));
    pop();
    return many;
  }
  void push_tuple(std::vector<Object> items) {
    push({.kind = PickleKind::tuple, .items = std::move(items)});
  }
  void push_number(int64_t number) { push({.kind = PickleKind::number, .number = number}); }

  void push_name() {
    const std::string_view module = take_line(), own = take_line();
    const std::string name = fmt::format("{} {}", module, own);
    PickleObject object{.kind = PickleKind::name};
    const auto* storage = std::ranges::find(storage_names, name, &StorageName::name);
    if (storage != std::end(storage_names)) {
      object.name = PickleName::storage;
      object.type = find_element_type(storage->type);
    } else if (name == "torch._utils _rebuild_tensor_v2") {
      object.name = PickleName::tensor;
    } else if (name == "torch._utils _rebuild_parameter") {
      object.name = PickleName::parameter;
    } else if (name != "collections OrderedDict") {
      refuse(fmt::format("names {}.{}, which no tensor needs; calque runs no code",
                         printable(module), printable(own)));
    }
    push(std::move(object));
  }

  // ("storage", TYPE, KEY, DEVICE, ELEMENTS)
  void push_storage(Object description) {
    const std::vector<Object> parts = of_kind(description, PickleKind::tuple).items;
    if (parts.size() != 5 || of_kind(parts[0], PickleKind::text).text != "storage") refuse_rest();
    const PickleObject& type = of_kind(parts[1], PickleKind::name);
    if (type.name != PickleName::storage) refuse_rest();
    of_kind(parts[3], PickleKind::text);
    push({.kind = PickleKind::storage,
          .number = of_kind(parts[4], PickleKind::number).number,
          .text = of_kind(parts[2], PickleKind::text).text,
          .type = type.type});
  }

  // Pushes the result of a call.
  void push_result(Object function, Object tuple) {
    const std::vector<Object>& arguments = of_kind(tuple, PickleKind::tuple).items;
    switch (of_kind(function, PickleKind::name).name) {
      case PickleName::dictionary:
        if (!arguments.empty()) refuse_rest();
        return push({.kind = PickleKind::dictionary});
      case PickleName::tensor:  // storage, offset, sizes, strides, requires_grad, hooks, metadata
        if (arguments.size() != 6 && arguments.size() != 7) refuse_rest();
        of_kind(arguments[0], PickleKind::storage);
        of_kind(arguments[1], PickleKind::number);
        for (const int i : {2, 3}) {
          const std::vector<Object>& numbers = of_kind(arguments[i], PickleKind::tuple).items;
          if (numbers.size() > Shape::most_axes) refuse("has a tensor of too many axes");
          for (const Object number : numbers) of_kind(number, PickleKind::number);
        }
        return push(
            {.kind = PickleKind::tensor, .items = {arguments.begin(), arguments.begin() + 4}});
      case PickleName::parameter:  // tensor, requires_grad, hooks
        if (arguments.size() != 3) refuse_rest();
        of_kind(arguments[0], PickleKind::tensor);
        stack_.push_back(arguments[0]);
        return;
      case PickleName::storage:
        refuse_rest();
    }
  }

  void set_items(const std::vector<Object>& items) {
    if (items.size() % 2 != 0 || stack_.empty()) refuse_rest();
    of_kind(stack_.back(), PickleKind::dictionary);
    std::vector<Object>& own = objects_[stack_.back()].items;
    own.insert(own.end(), items.begin(), items.end());
  }

  void store(uint32_t place) {
    if (stack_.empty()) refuse_rest();
    memo_[place] = stack_.back();
  }
  void recall(uint32_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) refuse_rest();
    stack_.push_back(found->second);
  }

  // Executes one instruction of protocol 2. Returns false after the last one.
  bool step() {
    const auto code = take_number<uint8_t>();
    switch (code) {
      case 0x80:
        if (take_number<uint8_t>() != 2) refuse("is a pickle of another protocol than 2");
        break;
      case '(':
        push({.kind = PickleKind::mark});
        break;
      case 'N':
        push({});
        break;
      case 0x88:
      case 0x89:
        push({.kind = PickleKind::truth, .number = code == 0x88});
        break;
      case 'J':
        push_number(take_number<int32_t>());
        break;
      case 'K':
        push_number(take_number<uint8_t>());
        break;
      case 'M':
        push_number(take_number<uint16_t>());
        break;
      case 0x8a:
        push_number(take_long());
        break;
      case 'X':
        push({.kind = PickleKind::text, .text = take(take_number<uint32_t>())});
        break;
      case ')':
        push_tuple({});
        break;
      case 0x85:
      case 0x86:
      case 0x87:
        push_tuple(pop_many(code - 0x84U));
        break;
      case 't':
        push_tuple(pop_to_mark());
        break;
      case '}':
        push({.kind = PickleKind::dictionary});
        break;
      case 's':
        set_items(pop_many(2));
        break;
      case 'u':
        set_items(pop_to_mark());
        break;
      case 'q':
        store(take_number<uint8_t>());
        break;
      case 'r':
        store(take_number<uint32_t>());
        break;
      case 'h':
        recall(take_number<uint8_t>());
        break;
      case 'j':
        recall(take_number<uint32_t>());
        break;
      case 'c':
        push_name();
        break;
      case 'Q':
        push_storage(pop());
        break;
      case 'R': {
        const std::vector<Object> call = pop_many(2);
        push_result(call[0], call[1]);
        break;
      }
      case 'b':  // the versions of the modules, as an attribute of the dictionary
        pop();
        if (stack_.empty()) refuse_rest();
        of_kind(stack_.back(), PickleKind::dictionary);
        break;
      case '.':
        return false;
      default:
        refuse(fmt::format("has the instruction {:#04x} at byte {}, which tensors do not need",
                           code, in_.offset() - 1));
    }
    return true;
  }

  std::vector<int64_t> numbers_of(Object tuple) const {
    std::vector<int64_t> numbers;
    for (const Object item : objects_[tuple].items) numbers.push_back(objects_[item].number);
    return numbers;
  }

  // The last element must be in the storage. Strides of 0 allow more elements than the storage has;
  // such tensors are refused, because a small file could fill the memory.
  void check(TorchTensor& tensor) const {
    bool good = tensor.offset >= 0 && tensor.storage_size >= 0 &&
                tensor.sizes.size() == tensor.strides.size();
    int64_t last = tensor.offset, elements = 1;
    for (size_t i = 0; good && i < tensor.sizes.size(); ++i) {
      int64_t& stride = tensor.strides[i];
      const int64_t size = tensor.sizes[i];
      int64_t step = 0;
      if (size <= 1) stride = 0;  // not used, so a file may store any number
      good = size >= 0 && stride >= 0 && !__builtin_mul_overflow(elements, size, &elements) &&
             !__builtin_mul_overflow(std::max<int64_t>(size - 1, 0), stride, &step) &&
             !__builtin_add_overflow(last, step, &last);
    }
    if (!good || elements > tensor.storage_size || (elements > 0 && last >= tensor.storage_size)) {
      refuse(fmt::format("{} is larger than its storage of {} numbers", printable(tensor.name),
                         tensor.storage_size));
    }
    tensor.elements = elements;
  }

  std::vector<TorchTensor> tensors_of(const PickleObject& dictionary) const {
    std::vector<TorchTensor> tensors;
    for (size_t i = 0; i < dictionary.items.size(); i += 2) {
      const std::string_view name = of_kind(dictionary.items[i], PickleKind::text).text;
      if (find_invalid_utf8(name)) refuse("has a name that is not UTF-8");
      const PickleObject& value = objects_[dictionary.items[i + 1]];
      if (value.kind != PickleKind::tensor) {
        refuse(fmt::format("{} is not a tensor; save the model's state_dict()", printable(name)));
      }
      const PickleObject& storage = objects_[value.items[0]];
      tensors.push_back({.name = name,
                         .type = storage.type,
                         .storage = storage.text,
                         .storage_size = storage.number,
                         .offset = objects_[value.items[1]].number,
                         .sizes = numbers_of(value.items[2]),
                         .strides = numbers_of(value.items[3])});
      check(tensors.back());
    }
    return tensors;
  }

  BinaryReader in_;
  std::vector<PickleObject> objects_;
  std::vector<Object> stack_;
  std::unordered_map<uint32_t, Object> memo_;
};

}  // namespace

std::vector<TorchTensor> parse_torch_pickle(std::string_view bytes, const std::string& place) {
  return PickleMachine(bytes, place).tensors();
}

}  // namespace calque
