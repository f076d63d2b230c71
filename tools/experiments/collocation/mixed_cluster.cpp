#include "tools/experiments/collocation/mixed_cluster.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "policies/grammar.hpp"

namespace aliquot::collocation {
namespace {

constexpr std::int64_t kMostWeight = 1'000;
constexpr std::size_t kMostClasses = 16;

tl::unexpected<Error> wrong(const std::string& what) {
  return fail(ErrorKind::invalid_argument, "the mix of nodes: " + what);
}

Result<NodeClass> parse_class(std::string_view part) {
  const std::size_t colon = part.find(':');
  const std::string name(part.substr(0, colon));
  const bool plain = std::ranges::all_of(
      name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-'; });
  const auto weight =
      whole_number(colon == std::string_view::npos ? "" : part.substr(colon + 1), 1, kMostWeight);
  if (name.empty() || name.size() > 63 || !plain || !weight)
    return wrong(aliquot::quoted(part) +
                 " is not CLASS:WEIGHT, where the weight is a whole number from 1 to " +
                 std::to_string(kMostWeight) + "; for example cpu:2,V100:1");
  return NodeClass{name, static_cast<std::uint32_t>(*weight)};
}

// Of `nodes`, as the weights say; the remainder to the largest fractions, the first of equal ones.
std::vector<std::uint32_t> apportioned(const std::vector<NodeClass>& mix, std::uint32_t nodes) {
  const std::uint64_t all =
      std::accumulate(mix.begin(), mix.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const NodeClass& one) { return sum + one.weight; });
  std::vector<std::uint32_t> counts;
  if (all == 0) return counts;  // of no class, which no text says
  std::vector<std::size_t> order;
  for (const NodeClass& one : mix) {
    order.push_back(counts.size());
    counts.push_back(static_cast<std::uint32_t>(std::uint64_t{nodes} * one.weight / all));
  }
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t k) { return std::uint64_t{nodes} * mix[k].weight % all; });
  const std::uint32_t given = std::accumulate(counts.begin(), counts.end(), 0U);
  for (std::uint32_t k = 0; k < nodes - given; ++k) ++counts[order[k]];
  return counts;
}

}  // namespace

Result<std::vector<NodeClass>> parse_mix(const std::string& text) {
  std::vector<NodeClass> mix;
  std::set<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    auto one = parse_class(std::string_view(text).substr(begin, end - begin));
    if (!one) return tl::unexpected(one.error());
    if (!names.insert(one->name).second) return wrong(aliquot::quoted(one->name) + " is named twice");
    mix.push_back(*std::move(one));
    begin = end + 1;
  }
  if (mix.size() > kMostClasses) return wrong("at most " + std::to_string(kMostClasses) + " classes");
  if (!names.contains("cpu")) return wrong("give some nodes without GPUs, cpu:WEIGHT");
  if (std::ranges::none_of(mix, &NodeClass::has_gpus))
    return wrong("give some nodes with GPUs, MODEL:WEIGHT");
  return mix;
}

std::string text_of(const std::vector<NodeClass>& mix) {
  std::string text;
  for (const NodeClass& one : mix)
    text += (text.empty() ? "" : ",") + one.name + ":" + std::to_string(one.weight);
  return text;
}

Result<ClusterShape> mixed_cluster(const std::vector<NodeClass>& mix, std::uint32_t nodes) {
  ClusterShape shape;
  shape.nodes = nodes;
  shape.cores_per_node = kCores;
  shape.node_memory = kMemory;
  const std::vector<std::uint32_t> counts = apportioned(mix, nodes);
  for (std::size_t k = 0; k < mix.size(); ++k) {
    if (counts[k] == 0)
      return wrong("of " + std::to_string(nodes) + " nodes " + aliquot::quoted(mix[k].name) + " gets none");
    NodeKind kind;
    kind.name = mix[k].name;
    kind.count = counts[k];
    kind.cores = kCores;
    kind.memory = mix[k].name == "memory" ? kMuchMemory : kMemory;
    if (mix[k].has_gpus()) kind.devices.push_back({mix[k].name, kGpusPerNode});
    if (mix[k].name == "cpu") shape.reference = shape.kinds.size();
    shape.kinds.push_back(std::move(kind));
  }
  return shape;
}

}  // namespace aliquot::collocation
