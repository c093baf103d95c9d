// The floor under a training step: its matrix products, called raw through cblas in a loop, and
// nothing else. Reads lists of products and answers each with the time it took (see
// raw_product_process.h, which starts this program and talks to it).
//
//   in    count, then a line each: m n k, whether a and b are stored transposed, whether c is added
//   to out   seconds for the whole list, best rate of any shape so far
//
// Each shape is called in whichever way is fastest for it: with OpenBLAS's own threads, or cut into
// a block of rows or of columns a thread. Which one that is is tried out beforehand. The shapes of
// a list have operands of their own, so that they do not find each other's in the cache.
#include <cblas.h>
#include <omp.h>
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

#include "timing.h"

namespace {

using calque::seconds_of;

struct Product {
  int64_t m, n, k;
  int a_flipped, b_flipped, add;
  double flops() const { return 2.0 * double(m) * double(n) * double(k); }
};

// Memory on large pages where the system gives them, as a fast program would ask for.
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
struct Kind {
  Operand a, b, c;
  Way way = Way::library;
  bool tried = false;
};

void call(const Product& p, const float* a, const float* b, float* c, int64_t m, int64_t n) {
  const auto size = [](int64_t value) { return static_cast<blasint>(value); };
  cblas_sgemm(CblasRowMajor, p.a_flipped ? CblasTrans : CblasNoTrans,
              p.b_flipped ? CblasTrans : CblasNoTrans, size(m), size(n), size(p.k), 1, a,
              size(p.a_flipped ? p.m : p.k), b, size(p.b_flipped ? p.k : p.n), p.add ? 1 : 0, c,
              size(p.n));
}

void run(const Product& p, Kind& kind, Way way) {
  const float* a = kind.a.of_size(p.m * p.k);
  const float* b = kind.b.of_size(p.k * p.n);
  float* c = kind.c.of_size(p.m * p.n);
  if (way == Way::library) return call(p, a, b, c, p.m, p.n);
  const int64_t whole = way == Way::rows ? p.m : p.n, threads = omp_get_max_threads();
  constexpr int64_t tile = 16;
  const int64_t tiles = (whole + tile - 1) / tile;
#pragma omp parallel for
  for (int64_t piece = 0; piece < threads; ++piece) {
    const int64_t begin = std::min(whole, tiles * piece / threads * tile);
    const int64_t end = std::min(whole, tiles * (piece + 1) / threads * tile);
    if (begin == end) continue;
    if (way == Way::rows) {
      call(p, a + begin * (p.a_flipped ? 1 : p.k), b, c + begin * p.n, end - begin, p.n);
    } else {
      call(p, a, b + begin * (p.b_flipped ? p.k : 1), c + begin, p.m, end - begin);
    }
  }
}

double best_time(const Product& p, Kind& kind, Way way, int rounds) {
  run(p, kind, way);
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    best = std::min(best, seconds_of([&] { run(p, kind, way); }));
  }
  return best;
}

class Floor {
 public:
  double seconds(const std::vector<Product>& products) {
    std::vector<Kind*> kinds;
    for (const Product& p : products) {
      kinds.push_back(&kinds_[key(p)]);
      if (!kinds.back()->tried) try_out(p, *kinds.back());
    }
    return seconds_of([&] {
      for (size_t i = 0; i < products.size(); ++i) run(products[i], *kinds[i], kinds[i]->way);
    });
  }

  // Of some large shapes, and of all that were tried out.
  double rate() {
    for (const auto& [m, n, k] : {std::array<int64_t, 3>{1024, 1024, 1024},
                                  {2048, 2048, 2048},
                                  {4096, 512, 2048},
                                  {4096, 2048, 512}}) {
      const Product p{m, n, k, 0, 0, 0};
      Kind& kind = kinds_[key(p)];
      if (!kind.tried) try_out(p, kind);
      const double taken = seconds_of([&] { run(p, kind, kind.way); });
      best_rate_ = std::max(best_rate_, p.flops() / taken);
    }
    return best_rate_;
  }

 private:
  using Key = std::array<int64_t, 6>;
  static Key key(const Product& p) {
    const auto rounded = [](int64_t size) { return std::lround(2 * std::log2(double(size))); };
    return {rounded(p.m), rounded(p.n), rounded(p.k), p.a_flipped, p.b_flipped, p.add};
  }

  void try_out(const Product& p, Kind& kind) {
    double best = std::numeric_limits<double>::infinity();
    for (const Way way : {Way::library, Way::rows, Way::columns}) {
      const double taken = best_time(p, kind, way, p.flops() < 1e9 ? 8 : 3);
      if (taken < best) kind.way = way;
      best = std::min(best, taken);
    }
    best_rate_ = std::max(best_rate_, p.flops() / best);
    kind.tried = true;
  }

  std::map<Key, Kind> kinds_;
  double best_rate_ = 0;
};

}  // namespace

int main() {
  std::printf("%s\n", openblas_get_corename());
  std::fflush(stdout);
  Floor floor;
  for (size_t count = 0; std::scanf("%zu", &count) == 1;) {
    std::vector<Product> products(std::min<size_t>(count, 1 << 20));
    for (Product& p : products) {
      if (std::scanf("%ld %ld %ld %d %d %d", &p.m, &p.n, &p.k, &p.a_flipped, &p.b_flipped,
                     &p.add) != 6) {
        return 1;
      }
    }
    const double rate = floor.rate();
    std::printf("%.9f %.9g\n", floor.seconds(products), rate);
    std::fflush(stdout);
  }
}
