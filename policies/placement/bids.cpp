#include "policies/placement/bids.hpp"

#include <algorithm>

#include "policies/placement/contiguity.hpp"

namespace aliquot::ip {

namespace {

enum class Type : std::uint8_t { a, b, c };

struct NodeSet {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

std::vector<NodeSet> nodesets_of(const std::vector<Offer>& offered) {
  std::vector<NodeSet> sets;
  for (std::uint32_t n = 0; n < offered.size(); ++n) {
    if (offered[n].units == 0) continue;
    if (!sets.empty() && sets.back().end == n) {
      ++sets.back().end;
    } else {
      sets.push_back({n, n + 1});
    }
  }
  return sets;
}

std::vector<std::uint32_t> nodes_of(const std::vector<Spot>& spots) {
  std::vector<std::uint32_t> nodes;
  for (const Spot& spot : spots) nodes.push_back(spot.node);
  return nodes;
}

// Only a number of cores: the papers' job type 1.
bool cores_alone(const Request& r) {
  return r.devices == 0 && r.per_node == 0 && r.min_nodes == 0 && r.max_nodes == 0;
}

// (19) with the constants of Table 9. Of `all` nodes in `sets` nodesets it takes `nodes` in `used`.
double preference(const Request& r, Type type, std::size_t nodes, std::size_t all, std::size_t used,
                  std::size_t sets) {
  const bool plain = cores_alone(r);
  const double k1 = type == Type::a ? 0 : type == Type::b && plain ? 0.25 : 0.5;
  const double k2 = plain ? 0.25 : 0;
  const double k3 = type != Type::c ? 0 : plain ? 0.25 : 0.5;
  return 1 - k1 - k2 * static_cast<double>(nodes) / static_cast<double>(all + 1) -
         k3 * static_cast<double>(used) / static_cast<double>(sets + 1);
}

class Bidder {
 public:
  Bidder(const Instance& instance, std::uint32_t request, const NodeCells& nodes)
      : instance_(instance),
        request_(request),
        offered_(offers(instance, request, nodes)),
        sets_(nodesets_of(offered_)) {}

  std::vector<Bid> bids(bool contiguous, std::uint32_t most) {
    for (const NodeSet& set : sets_) {
      if (bids_.size() >= 4 * std::size_t{most}) break;
      add_within(set);
    }
    if (!contiguous) add_over_several(most);
    std::stable_sort(bids_.begin(), bids_.end(),
                     [](const Bid& a, const Bid& b) { return a.preference > b.preference; });
    if (bids_.size() > most) bids_.resize(most);
    return std::move(bids_);
  }

  [[nodiscard]] double worth(const std::vector<Spot>& spots) const {
    const Layout layout = layout_of(nodes_of(spots));
    const auto touched = [&](const NodeSet& set) {
      return spots.front().node == set.first || spots.back().node + 1 == set.end;
    };
    Type type = Type::c;
    if (layout.blocks == 1) type = std::any_of(sets_.begin(), sets_.end(), touched) ? Type::a : Type::b;
    return preference(instance_.requests[request_], type, spots.size(), offered_.size(), layout.blocks,
                      std::max<std::size_t>(sets_.size(), layout.blocks));
  }

 private:
  void add(std::vector<Spot> spots, Type type, std::size_t used) {
    if (spots.empty()) return;
    if (type != Type::c && layout_of(nodes_of(spots)).blocks != 1) return;
    const double f =
        preference(instance_.requests[request_], type, spots.size(), offered_.size(), used, sets_.size());
    bids_.push_back({std::move(spots), f});
  }

  void add_within(const NodeSet& set) {
    std::vector<Spot> front = deal(instance_, request_, offered_, set.first, set.end);
    if (front.empty()) return;
    const auto length = static_cast<std::uint32_t>(front.size());
    add(std::move(front), Type::a, 1);
    const std::uint32_t rest = set.end - set.first - length;
    if (rest == 0) return;
    add(deal(instance_, request_, offered_, set.first, set.end, true), Type::a, 1);
    if (rest > 1) add(deal(instance_, request_, offered_, set.first + rest / 2, set.end), Type::b, 1);
  }

  // From each nodeset on, as many of those after it as are needed.
  void add_over_several(std::uint32_t most) {
    for (std::size_t s = 0; s + 1 < sets_.size() && s < most; ++s) {
      std::vector<Spot> spots = deal(instance_, request_, offered_, sets_[s].first, sets_.back().end);
      if (spots.empty()) return;
      const auto used =
          static_cast<std::size_t>(std::count_if(sets_.begin(), sets_.end(), [&](const NodeSet& set) {
            return set.first <= spots.back().node && set.end > spots.front().node;
          }));
      if (used > 1) add(std::move(spots), Type::c, used);
    }
  }

  const Instance& instance_;
  std::uint32_t request_;
  std::vector<Offer> offered_;
  std::vector<NodeSet> sets_;
  std::vector<Bid> bids_;
};

}  // namespace

std::vector<Bid> bids_of(const Instance& instance, std::uint32_t request, const NodeCells& nodes,
                         bool contiguous, std::uint32_t most) {
  return Bidder(instance, request, nodes).bids(contiguous, most);
}

double preference_of(const Instance& instance, std::uint32_t request, const NodeCells& nodes,
                     const std::vector<Spot>& spots) {
  return Bidder(instance, request, nodes).worth(spots);
}

}  // namespace aliquot::ip
