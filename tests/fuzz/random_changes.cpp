// Runs a fuzz target without libFuzzer: on its seeds, and then for some seconds on seeds with
// random changes. The input on which it fails is written to the current folder.
//
//   fuzz_corpus SECONDS tests/fuzz/seeds/corpus
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" void __sanitizer_set_death_callback(void (*callback)());

namespace {

using Bytes = std::vector<uint8_t>;

Bytes input;
std::string finding;

void keep_input() {
  std::ofstream(finding, std::ios::binary)
      .write(reinterpret_cast<const char*>(input.data()), std::ssize(input));
  std::fprintf(stderr, "the input is in %s\n", finding.c_str());
}

Bytes bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void change(Bytes& bytes, const Bytes& other, std::mt19937& random) {
  const auto below = [&](size_t limit) { return random() % limit; };
  const auto at = [](Bytes& of, size_t place) { return of.begin() + static_cast<int64_t>(place); };
  const size_t place = below(bytes.size() + 1);
  const size_t count = std::min(1 + below(8), bytes.size() - place);
  switch (below(5)) {
    case 0:
      for (size_t i = place; i < place + count; ++i) bytes[i] ^= uint8_t(1u << below(8));
      break;
    case 1:
      bytes.erase(at(bytes, place), at(bytes, place + count));
      break;
    case 2:
      bytes.insert(at(bytes, place), 1 + below(8), uint8_t(below(256)));
      break;
    case 3:
      bytes.insert(at(bytes, place), other.begin(), other.end());
      break;
    default:
      bytes.resize(place);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  finding = std::filesystem::path(arguments[0]).filename().string() + ".finding";
  __sanitizer_set_death_callback(keep_input);
  std::set_terminate([] {
    keep_input();
    std::abort();
  });
  std::vector<Bytes> seeds;
  for (const auto& file : std::filesystem::directory_iterator(arguments[2])) {
    seeds.push_back(bytes_of(file));
    input = seeds.back();
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(std::stoi(arguments[1]));
  std::mt19937 random(std::random_device{}());
  int64_t inputs = std::ssize(seeds);
  if (seeds.empty()) return 1;
  for (; Clock::now() < end; ++inputs) {
    input = seeds[random() % seeds.size()];
    for (auto changes = 1 + random() % 6; changes > 0; --changes) {
      change(input, seeds[random() % seeds.size()], random);
    }
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%lld inputs\n", static_cast<long long>(inputs));
}
