#include "tools/sim/campaign/paired.hpp"

#include <cmath>
#include <map>

#include "tools/sim/campaign/statistics.hpp"

namespace aliquot {
namespace {

using ByPolicy = std::map<std::string, double>;

Paired compare(const std::map<CellKey, ByPolicy>& instances, const std::string& a, const std::string& b) {
  Paired pair;
  pair.a = a;
  pair.b = b;
  Groups logarithms;
  for (const auto& [key, stretches] : instances) {
    const auto of_a = stretches.find(a);
    const auto of_b = stretches.find(b);
    if (of_a == stretches.end() || of_b == stretches.end()) continue;
    ++pair.instances;
    pair.a_better += of_a->second < of_b->second;
    pair.b_better += of_b->second < of_a->second;
    logarithms[key.workload + " " + key.seed].push_back(std::log(of_a->second / of_b->second));
  }
  const Sample sample = clustered(logarithms);
  pair.ratio = std::exp(sample.mean);
  pair.low = std::exp(sample.low());
  pair.high = std::exp(sample.high());
  return pair;
}

}  // namespace

std::vector<Paired> paired(const std::vector<Cell>& cells, const std::vector<std::string>& policies) {
  std::map<CellKey, ByPolicy> instances;
  for (const Cell& cell : cells) {
    CellKey instance = cell.key;
    instance.policy.clear();
    instances[instance][cell.key.policy] = cell[Figure::max_bounded_stretch];
  }
  std::vector<Paired> pairs;
  for (std::size_t i = 0; i < policies.size(); ++i)
    for (std::size_t j = i + 1; j < policies.size(); ++j)
      if (auto pair = compare(instances, policies[i], policies[j]); pair.instances > 0)
        pairs.push_back(std::move(pair));
  return pairs;
}

}  // namespace aliquot
