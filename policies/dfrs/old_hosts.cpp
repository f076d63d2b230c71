#include "policies/dfrs/old_hosts.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "policies/packing/match.hpp"

namespace aliquot {

namespace {

// Nodes that may exchange their bins: up, alike, and with nothing on them that must stay.
std::vector<std::int32_t> kinds_of_nodes(const Draft& only_fixed) {
  std::vector<std::int32_t> kinds(only_fixed.nodes(), kNotMatched);
  std::map<std::pair<Cpu, Memory>, std::int32_t> known;
  for (std::size_t n = 0; n < only_fixed.nodes(); ++n) {
    const Node& node = only_fixed.node(n);
    if (!node.usable() || only_fixed.ledger(n).tasks != 0) continue;
    const auto next = static_cast<std::int32_t>(known.size());
    kinds[n] = known.try_emplace({node.capacity, node.memory}, next).first->second;
  }
  return kinds;
}

}  // namespace

void move_to_old_hosts(const Draft& draft, const std::pmr::vector<Offered>& offered,
                       std::pmr::vector<std::span<Share>>& shares) {
  Contents bins(draft.nodes());
  Contents hosts(draft.nodes());
  for (std::size_t k = 0; k < offered.size(); ++k) {
    const std::uint32_t i = offered[k].entry;
    for (const Share& share : shares[k]) bins[share.node.raw].push_back({i, share.units});
    for (const Share& share : draft.job(i).placement) hosts[share.node.raw].push_back({i, share.units});
  }
  const auto host_of = match_bins(bins, hosts, kinds_of_nodes(draft));
  for (const std::span<Share> places : shares) {
    for (Share& share : places) share.node = {host_of[share.node.raw]};
    std::sort(places.begin(), places.end());
  }
}

}  // namespace aliquot
