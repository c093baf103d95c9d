// The GEMM floor of a training step: computes the step's matrix products through cblas in a loop,
// and nothing else. raw_product_process.cpp starts this program. Requests and answers:
//
//   in    count, then one line per product: m n k, and three flags: a is stored transposed, b is
//         stored transposed, the product is added to c
//   out   seconds for the whole list, best FLOPs per second of any shape so far
//
// Each shape is called in the fastest of three ways, found beforehand: with OpenBLAS's own threads,
// or with one block of rows or of columns per thread. Shapes of different size have separate
// operands, so that their products do not find each other's operands in the cache.
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/threads/parallel.h"
#include "raw_sgemm.h"
#include "timing.h"

using namespace calque;

namespace {

// Memory on huge pages, where the system has them.
class Operand {
 public:
  float* of_size(int64_t size) {
    constexpr size_t page = 2 << 20;
    if (size > size_) {
      size_ = size + size / 4;
      const size_t pages = (static_cast<size_t>(size_) * sizeof(float) + page - 1) / page;
      memory_.reset(static_cast<float*>(std::aligned_alloc(page, pages * page)));
      if (!memory_) std::abort();
#ifdef MADV_HUGEPAGE
      madvise(memory_.get(), pages * page, MADV_HUGEPAGE);
#endif
      for (int64_t i = 0; i < size_; ++i) memory_.get()[i] = 0.01F * float(i % 97) - 0.5F;
    }
    return memory_.get();
  }

 private:
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };
  std::unique_ptr<float, Free> memory_;
  int64_t size_ = 0;
};

enum class Way { library, rows, columns };

// Shapes of about the same size share their operands and the way they are called.
struct ShapeGroup {
  Operand a, b, c;
  Way way = Way::library;
  bool tried = false;
};

void run(const GemmCall& p, ShapeGroup& group, Way way) {
  const float* a = group.a.of_size(p.m * p.k);
  const float* b = group.b.of_size(p.k * p.n);
  float* c = group.c.of_size(p.m * p.n);
  if (way == Way::library) return raw_sgemm(p, a, b, c);
  // Blocks of whole tiles, one per thread, as core/products/blas.cpp cuts a product.
  constexpr int64_t tile = 32;
  const int64_t size = way == Way::rows ? p.m : p.n, tiles = (size + tile - 1) / tile;
  const int64_t block = (tiles + threads() - 1) / threads() * tile;
  parallel_for(size, block, [&](int64_t begin, int64_t end) {
    if (way == Way::rows) {
      const float* rows = a + begin * (p.a_transposed ? 1 : p.k);
      raw_sgemm(p, end - begin, p.n, rows, b, c + begin * p.n);
    } else {
      const float* cols = b + begin * (p.b_transposed ? p.k : 1);
      raw_sgemm(p, p.m, end - begin, a, cols, c + begin);
    }
  });
}

double best_time(const GemmCall& p, ShapeGroup& group, Way way, int rounds) {
  run(p, group, way);
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    best = std::min(best, seconds_of([&] { run(p, group, way); }));
  }
  return best;
}

class Floor {
 public:
  double seconds(const std::vector<GemmCall>& products) {
    std::vector<ShapeGroup*> groups;
    for (const GemmCall& p : products) {
      groups.push_back(&groups_[key(p)]);
      if (!groups.back()->tried) try_out(p, *groups.back());
    }
    return seconds_of([&] {
      for (size_t i = 0; i < products.size(); ++i) run(products[i], *groups[i], groups[i]->way);
    });
  }

  // The best FLOPs per second of some large shapes and of all shapes tried so far.
  double rate() {
    for (const auto& [m, n, k] : {std::array<int64_t, 3>{1024, 1024, 1024},
                                  {2048, 2048, 2048},
                                  {4096, 512, 2048},
                                  {4096, 2048, 512}}) {
      const GemmCall p{m, n, k};
      ShapeGroup& group = groups_[key(p)];
      if (!group.tried) try_out(p, group);
      const double taken = seconds_of([&] { run(p, group, group.way); });
      best_rate_ = std::max(best_rate_, flops(p) / taken);
    }
    return best_rate_;
  }

 private:
  using Key = std::array<int64_t, 6>;
  static Key key(const GemmCall& p) {
    const auto rounded = [](int64_t size) { return std::lround(2 * std::log2(double(size))); };
    return {rounded(p.m), rounded(p.n), rounded(p.k), p.a_transposed, p.b_transposed, p.accumulate};
  }

  void try_out(const GemmCall& p, ShapeGroup& group) {
    double best = std::numeric_limits<double>::infinity();
    for (const Way way : {Way::library, Way::rows, Way::columns}) {
      const double taken = best_time(p, group, way, flops(p) < 1e9 ? 8 : 3);
      if (taken < best) group.way = way;
      best = std::min(best, taken);
    }
    best_rate_ = std::max(best_rate_, flops(p) / best);
    group.tried = true;
  }

  std::map<Key, ShapeGroup> groups_;
  double best_rate_ = 0;
};

}  // namespace

int main() {
  std::printf("%s\n", openblas_get_corename());
  std::fflush(stdout);
  Floor floor;
  for (size_t count = 0; std::scanf("%zu", &count) == 1;) {
    std::vector<GemmCall> products(std::min<size_t>(count, 1 << 20));
    for (GemmCall& p : products) {
      int a = 0, b = 0, c = 0;
      if (std::scanf("%ld %ld %ld %d %d %d", &p.m, &p.n, &p.k, &a, &b, &c) != 6) return 1;
      p.a_transposed = a != 0, p.b_transposed = b != 0, p.accumulate = c != 0;
    }
    const double rate = floor.rate();
    std::printf("%.9f %.9g\n", floor.seconds(products), rate);
    std::fflush(stdout);
  }
}
