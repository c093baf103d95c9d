#include "interop/files/torch_file.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.h"
#include "data/files/file.h"
#include "interop/files/pickle.h"
#include "interop/files/zip.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

constexpr int64_t largest_torch_file = int64_t{16} << 30;
constexpr std::string_view pickle_name = "data.pkl";
constexpr std::string_view before_zip("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46", 8);  // PyTorch < 1.6
// All tensors together may have this many elements per byte of the archive, so that a small archive
// with many tensors over one storage cannot fill the memory.
constexpr int64_t most_shared = 4;

class TorchArchive {
 public:
  TorchArchive(std::string_view archive, const std::string& place) : place_(place) {
    if (archive.starts_with(before_zip)) {
      fail("{}: is a file of PyTorch before 1.6; load it and save it with a newer one", place);
    }
    for (ZipFile& file : parse_zip(archive, place)) files_.emplace(file.name, file.bytes);
    const auto pickle = std::ranges::find_if(files_, [](const auto& file) {
      return file.first == pickle_name || file.first.ends_with("/data.pkl");
    });
    if (pickle == files_.end()) fail("{}: has no data.pkl; torch.save() did not write it", place);
    pickle_ = pickle->first;
    prefix_ = pickle_.substr(0, pickle_.size() - pickle_name.size());
    const auto order = files_.find(prefix_ + "byteorder");
    if (order != files_.end() && order->second != "little") {
      fail("{}: {}: must be little", place, printable(order->first));
    }
  }

  std::vector<TorchTensor> tensors() const {
    return parse_torch_pickle(files_.at(pickle_), file_place(pickle_));
  }

  // The bytes of the tensor's storage.
  std::string_view storage(const TorchTensor& tensor) const {
    const std::string name = fmt::format("{}data/{}", prefix_, tensor.storage);
    const auto found = files_.find(name);
    if (found == files_.end()) {
      fail("{}: is missing, the storage of {}", file_place(name), printable(tensor.name));
    }
    const std::string_view bytes = found->second;
    if (bytes.size() / tensor.type->bytes != static_cast<uint64_t>(tensor.storage_size) ||
        bytes.size() % tensor.type->bytes != 0) {
      fail("{}: has {} bytes, but {} is in a storage of {} numbers of type {}", file_place(name),
           bytes.size(), printable(tensor.name), tensor.storage_size, tensor.type->name);
    }
    return bytes;
  }

 private:
  std::string file_place(const std::string& name) const {
    return fmt::format("{}: {}", place_, printable(name));
  }

  const std::string& place_;
  std::map<std::string, std::string_view> files_;
  std::string pickle_, prefix_;
};

// Copies the elements in row-major order.
void copy_elements(const TorchTensor& from, std::string_view storage, std::span<real> to) {
  const size_t axes = from.sizes.size();
  const int64_t inner = axes == 0 ? 1 : from.sizes[axes - 1];
  const int64_t inner_stride = axes == 0 ? 1 : from.strides[axes - 1];
  const auto* bytes = reinterpret_cast<const std::byte*>(storage.data());
  std::vector<int64_t> index(axes, 0);
  int64_t begin = from.offset;
  for (size_t done = 0; done < to.size(); done += static_cast<size_t>(inner)) {
    const auto row = to.subspan(done, static_cast<size_t>(inner));
    if (inner_stride == 1) {
      from.type->decode(bytes + static_cast<uint64_t>(begin) * from.type->bytes, row);
    } else {
      for (int64_t i = 0; i < inner; ++i) {
        const auto at = static_cast<uint64_t>(begin + i * inner_stride) * from.type->bytes;
        from.type->decode(bytes + at, row.subspan(static_cast<size_t>(i), 1));
      }
    }
    for (size_t axis = axes; axis-- > 1;) {  // the next row
      const size_t outer = axis - 1;
      begin += from.strides[outer];
      if (++index[outer] < from.sizes[outer]) break;
      begin -= from.strides[outer] * from.sizes[outer];
      index[outer] = 0;
    }
  }
}

}  // namespace

void add_torch_tensors(std::string_view archive, const std::string& place, ForeignTensors& to) {
  const TorchArchive file(archive, place);
  const std::vector<TorchTensor> tensors = file.tensors();
  int64_t room = most_shared * std::ssize(archive);
  for (const TorchTensor& tensor : tensors) {
    const std::string_view storage = file.storage(tensor);
    if (!tensor.type->decode) {
      to.add_other(std::string(tensor.name), tensor.type->name);
      continue;
    }
    room -= tensor.elements;
    if (room < 0) fail("{}: too many tensors share a storage", place);
    Tensor read(foreign_shape(tensor.sizes, place, tensor.name));
    copy_elements(tensor, storage, read.span());
    if (!std::ranges::all_of(read.span(), [](real value) { return std::isfinite(value); })) {
      fail("{}: {} holds a value that is infinite or not a number", place, printable(tensor.name));
    }
    to.add(std::string(tensor.name), std::move(read));
  }
}

void add_torch_file(const std::string& path, ForeignTensors& to) {
  add_torch_tensors(read_file(path, largest_torch_file), path, to);
}

}  // namespace calque
