#pragma once
// Counts the tokens that each expert receives while it is alive on this thread:
//
//   ExpertLoad load;
//   model.logits(...);
//   load.layers();   // {"layers.0.feed_forward": [12, 7, 9, 4]}, ...

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace calque {

class ExpertLoad {
 public:
  ExpertLoad();
  ~ExpertLoad();
  ExpertLoad(const ExpertLoad&) = delete;
  ExpertLoad& operator=(const ExpertLoad&) = delete;

  // In the order of the first pass.
  using Layers = std::vector<std::pair<std::string, std::vector<int64_t>>>;
  const Layers& layers() const { return layers_; }

  // Adds the counts of a pass to the innermost ExpertLoad of this thread, if there is one.
  static void add(const std::string& layer, std::span<const int64_t> counts);

 private:
  ExpertLoad* outer_;
  Layers layers_;
};

}  // namespace calque
