#include "policies/placement/auction/bids.hpp"

#include <algorithm>

namespace aliquot::ip {

namespace {

// In increasing node; so is the result.
std::vector<NodeAllocation> from_back(const Shape& shape, std::span<const NodeAllocation> nodes) {
  const std::vector<NodeAllocation> reversed(nodes.rbegin(), nodes.rend());
  std::vector<NodeAllocation> allocations = distribute(shape, reversed);
  std::reverse(allocations.begin(), allocations.end());
  return allocations;
}

// Contiguous runs of nodes: the papers' fragmentation.
std::size_t blocks_of(const std::vector<NodeAllocation>& allocations) {
  std::size_t blocks = 1;
  for (std::size_t k = 1; k < allocations.size(); ++k)
    blocks += allocations[k].node == allocations[k - 1].node + 1 ? 0 : 1;
  return blocks;
}

// Only a number of cores: the papers' job type 1.
bool cores_alone(const Request& r) {
  return r.devices == 0 && r.per_node == 0 && r.min_nodes == 0 && r.max_nodes == 0;
}

}  // namespace

Bids::Bids(const Instance& instance, std::uint32_t request, const NodeResources& nodes,
           std::uint32_t most_bids)
    : request_(instance.requests[request]), nodes_(nodes.size()), fits_(fits_of(instance, request, nodes)) {
  find_nodesets();
  add_within_nodesets(most_bids);
  if (!request_.contiguous) add_across_nodesets(most_bids);
  std::stable_sort(bids_.begin(), bids_.end(),
                   [](const Bid& a, const Bid& b) { return a.preference > b.preference; });
  if (bids_.size() > most_bids) bids_.resize(most_bids);
}

void Bids::find_nodesets() {
  std::size_t first = 0;
  for (std::size_t k = 1; k <= fits_.size(); ++k) {
    if (k < fits_.size() && fits_[k].node == fits_[k - 1].node + 1) continue;
    sets_.push_back(NodeSet(fits_).subspan(first, k - first));
    first = k;
  }
}

void Bids::add_within_nodesets(std::uint32_t most_bids) {
  for (const NodeSet& set : sets_) {
    if (bids_.size() >= 4 * std::size_t{most_bids}) break;
    std::vector<NodeAllocation> front = distribute(request_, set);
    if (front.empty()) continue;
    const std::size_t rest = set.size() - front.size();
    add(std::move(front), Type::a);
    if (rest > 0) add(from_back(request_, set), Type::a);
    if (rest > 1) add(distribute(request_, set.subspan(rest / 2)), Type::b);
  }
}

// From each nodeset on, as many of the following ones as the job needs.
void Bids::add_across_nodesets(std::uint32_t most_bids) {
  for (std::size_t s = 0; s + 1 < sets_.size() && s < most_bids; ++s) {
    const NodeSet onwards(sets_[s].begin(), sets_.back().end());
    std::vector<NodeAllocation> allocations = distribute(request_, onwards);
    if (allocations.empty()) break;
    add(std::move(allocations), Type::c);
  }
}

void Bids::add(std::vector<NodeAllocation> allocations, Type type) {
  if (allocations.empty()) return;
  const auto is_used = [&](const NodeSet& set) {
    return set.front().node <= allocations.back().node && set.back().node >= allocations.front().node;
  };
  const auto used = static_cast<std::size_t>(std::count_if(sets_.begin(), sets_.end(), is_used));
  if (type == Type::c ? used == 1 : blocks_of(allocations) != 1) return;
  const double f = preference(type, allocations.size(), used, sets_.size());
  bids_.push_back({std::move(allocations), f});
}

// (19) with the constants of Table 9: in `used` of `sets` nodesets.
double Bids::preference(Type type, std::size_t nodes, std::size_t used, std::size_t sets) const {
  const bool plain = cores_alone(request_);
  const double k1 = type == Type::a ? 0 : type == Type::b && plain ? 0.25 : 0.5;
  const double k2 = plain ? 0.25 : 0;
  const double k3 = type != Type::c ? 0 : plain ? 0.25 : 0.5;
  return 1 - k1 - k2 * static_cast<double>(nodes) / static_cast<double>(nodes_ + 1) -
         k3 * static_cast<double>(used) / static_cast<double>(sets + 1);
}

double Bids::preference(const std::vector<NodeAllocation>& allocations) const {
  const std::size_t blocks = blocks_of(allocations);
  const auto at_an_end = [&](const NodeSet& set) {
    return allocations.front().node == set.front().node || allocations.back().node == set.back().node;
  };
  Type type = Type::c;
  if (blocks == 1) type = std::any_of(sets_.begin(), sets_.end(), at_an_end) ? Type::a : Type::b;
  return preference(type, allocations.size(), blocks, std::max(sets_.size(), blocks));
}

}  // namespace aliquot::ip
