#pragma once
// The work stream of a task whose data is a set of examples (data/batches/stream.h): each batch of
// examples becomes one micro-batch.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/batches/stream.h"
#include "train/task.h"

namespace calque {

using MakeWork = std::function<std::unique_ptr<Work>(const ExampleBatch&)>;

// For Work::where(): lists the distinct values of `where` for these examples. After the first eight
// it writes only the number of the others.
std::string origins_of(std::span<const int64_t> numbers,
                       const std::function<std::string(int64_t)>& where);

class ExampleWorks : public WorkStream {
 public:
  // `sizes` has the number of tokens of each example; largest() chooses a batch by them.
  ExampleWorks(const ExampleSet& set, std::vector<int32_t> sizes, const BatchOptions& options,
               StreamPosition from, MakeWork make);

  std::unique_ptr<Work> next() override { return make_(stream_.next()); }
  StreamPosition position() const override;
  double epochs() const override { return stream_.epochs(); }
  double wait_seconds() const override { return stream_.wait_seconds(); }
  bool same_data(int64_t epoch, int64_t other) const override;
  std::vector<EpochSize> epoch_sizes() const override;
  std::unique_ptr<Work> largest() const override;

 private:
  BatchPlan plan(int64_t epoch) const { return {set_.costs, set_.parts, options_, epoch}; }

  const ExampleSet set_;
  const std::vector<int32_t> sizes_;
  const BatchOptions options_;
  const MakeWork make_;
  BatchStream stream_;
};

}  // namespace calque
