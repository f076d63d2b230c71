#include "policies/fitting/node_offers.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {
namespace {

constexpr std::size_t kMostColumns = 512;

}  // namespace

void NodeOffers::follow(const ClusterView& view) {
  std::vector<NodeRest> rests = node_rests(view);
  if (score_.follow(view) || rests.size() != rests_.size()) {
    columns_.clear();
    versions_.assign(rests.size(), ++version_);
  } else {
    for (std::size_t n = 0; n < rests.size(); ++n)
      if (!(rests[n] == rests_[n])) versions_[n] = ++version_;
  }
  rests_ = std::move(rests);
}

std::optional<Offer> NodeOffers::reckon(std::uint32_t node, const Demand& demand) {
  const NodeRest& rest = rests_[node];
  const std::uint32_t tasks = rest.holds(demand, demand.tasks);
  if (tasks == 0) return std::nullopt;
  std::optional<Offer> best;
  for (const DeviceSet devices : device_choices(rest, demand.devices)) {
    NodeRest after = rest;
    after.take(demand, tasks, devices);
    const Offer fresh{score_(demand, tasks, rest, after), node, tasks, devices};
    if (!best || fresh.score < best->score) best = fresh;
  }
  return best;
}

const std::vector<std::optional<Offer>>& NodeOffers::to(const Demand& demand) {
  const Demand key = on_one_node(demand, demand.tasks);  // its priority and the like do not matter
  auto column = std::ranges::find(columns_, key, &Column::demand);
  if (column == columns_.end()) {
    if (columns_.size() == kMostColumns) columns_.clear();
    columns_.push_back({key, {}, {}});
    column = columns_.end() - 1;
    column->offers.resize(rests_.size());
    column->of_version.resize(rests_.size());
  }
  for (std::uint32_t n = 0; n < rests_.size(); ++n) {
    if (column->of_version[n] == versions_[n]) continue;
    column->offers[n] = reckon(n, key);
    column->of_version[n] = versions_[n];
  }
  return column->offers;
}

void NodeOffers::take(std::uint32_t node, const Demand& demand, std::uint32_t tasks, DeviceSet devices) {
  rests_[node].take(demand, tasks, devices);
  versions_[node] = ++version_;
}

}  // namespace aliquot
