#include "test/support/naive_optimum.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

namespace aliquot::test {

namespace {

constexpr int kMostJobs = 5;

// What is missing of each job (8 bits each), and on how many nodes it stands (4 bits), where that counts.
using Key = std::uint64_t;
using States = std::unordered_map<Key, std::int64_t>;  // to the price of the nodes taken so far

std::uint32_t missing_of(Key key, std::size_t j) {
  return static_cast<std::uint32_t>(key >> (8 * j) & 0xff);
}
std::uint32_t nodes_of(Key key, std::size_t j) {
  return static_cast<std::uint32_t>(key >> (8 * kMostJobs + 4 * j) & 0xf);
}
Key one_unit(std::size_t j) { return Key{1} << (8 * j); }
Key one_node(std::size_t j) { return Key{1} << (8 * kMostJobs + 4 * j); }

bool limited(const ip::Request& r) { return r.min_nodes > 0 || r.max_nodes > 0; }

class Trial {
 public:
  explicit Trial(const ip::Instance& system) : system_(system) {}

  // Everything that can be given to the jobs from j on, on this node.
  void divide(const ip::FreeResources& free, std::size_t j, Key key, std::int64_t price,
              States& next) const {
    if (j == system_.requests.size()) {
      const auto [at, fresh] = next.try_emplace(key, price);
      if (!fresh) at->second = std::min(at->second, price);
      return;
    }
    divide(free, j + 1, key, price, next);
    const ip::Request& r = system_.requests[j];
    const ip::NodeKind& kind = system_.kinds[free.kind];
    if (r.devices > 0 && (kind.empty() || !r.models.accept({kind[0]}))) return;
    if (!r.is_slice()) {
      if (r.devices > free.devices[0]) return;
      ip::FreeResources left = free;
      left.devices[0] = static_cast<std::uint16_t>(left.devices[0] - r.devices);
      deal(left, j, key, price, next);
      return;
    }
    for (std::size_t c = 0; c < ip::kPartialDevices; ++c) {
      if (free.partials[c].parts < r.parts) continue;
      ip::FreeResources left = free;
      left.partials[c].parts = static_cast<std::uint16_t>(left.partials[c].parts - r.parts);
      deal(left, j, key, price, next);
    }
    const auto unused = std::find(free.partials.begin(), free.partials.end(), ip::FreeDevice{});
    if (free.devices[0] == 0 || unused == free.partials.end()) return;
    ip::FreeResources left = free;
    --left.devices[0];
    left.partials[static_cast<std::size_t>(unused - free.partials.begin())] = {
        static_cast<std::uint16_t>(kWholeDevice - r.parts), 0};
    deal(left, j, key, price, next);
  }

  // Units of job j on a node whose devices it has already.
  void deal(ip::FreeResources left, std::size_t j, Key key, std::int64_t price, States& next) const {
    const ip::Request& r = system_.requests[j];
    Key after = key + (limited(r) ? one_node(j) : 0);
    for (std::uint32_t units = 1; units <= missing_of(key, j); ++units) {
      if (left.cpu < r.cpu || left.memory < r.memory) return;
      left.cpu = static_cast<std::uint16_t>(left.cpu - r.cpu);
      left.memory = static_cast<std::uint16_t>(left.memory - r.memory);
      after -= one_unit(j);
      if (r.per_node > 0 && units != r.per_node) continue;
      divide(left, j + 1, after, price + r.weight, next);
    }
  }

  // Of a state after all nodes; -1: some job has a part of its units only.
  [[nodiscard]] std::int64_t value(Key key, std::int64_t price) const {
    std::int64_t worth = 0;
    for (std::size_t j = 0; j < system_.requests.size(); ++j) {
      const ip::Request& r = system_.requests[j];
      if (missing_of(key, j) == r.units) continue;
      if (missing_of(key, j) > 0) return -1;
      if (r.min_nodes > 0 && nodes_of(key, j) < r.min_nodes) return -1;
      if (r.max_nodes > 0 && nodes_of(key, j) > r.max_nodes) return -1;
      worth += r.weight * 2 * system_.nodes;
    }
    return worth - price;
  }

 private:
  const ip::Instance& system_;
};

}  // namespace

ip::Value naive_optimum(const ip::Instance& system) {
  const Trial trial(system);
  Key start = 0;
  for (std::size_t j = 0; j < system.requests.size(); ++j) start += system.requests[j].units * one_unit(j);
  States states{{start, 0}};
  for (const ip::NodeClass& c : system.classes) {
    for (std::uint32_t n = 0; n < c.count; ++n) {
      States next;
      for (const auto& [key, price] : states) trial.divide(c.free, 0, key, price, next);
      states = std::move(next);
    }
  }
  std::int64_t best = 0;
  for (const auto& [key, price] : states) best = std::max(best, trial.value(key, price));
  return best;
}

}  // namespace aliquot::test
