#include "policies/placement/bids.hpp"

#include <algorithm>

#include "policies/placement/layout.hpp"

namespace aliquot::ip {

namespace {

enum class Type : std::uint8_t { a, b, c };

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
double preference_of(const Request& r, Type type, std::size_t nodes, std::size_t all, std::size_t used,
                     std::size_t sets) {
  const bool plain = cores_alone(r);
  const double k1 = type == Type::a ? 0 : type == Type::b && plain ? 0.25 : 0.5;
  const double k2 = plain ? 0.25 : 0;
  const double k3 = type != Type::c ? 0 : plain ? 0.25 : 0.5;
  return 1 - k1 - k2 * static_cast<double>(nodes) / static_cast<double>(all + 1) -
         k3 * static_cast<double>(used) / static_cast<double>(sets + 1);
}

}  // namespace

// Makes the bids of one page.
class BidBook::Bidder {
 public:
  Bidder(const Instance& instance, const Page& page, std::uint32_t most)
      : instance_(instance), page_(page), most_(most) {}

  std::vector<Bid> bids(bool contiguous) {
    for (const NodeSet& set : page_.sets) {
      if (bids_.size() >= 4 * std::size_t{most_}) break;
      add_within(set);
    }
    if (!contiguous) add_over_several();
    std::stable_sort(bids_.begin(), bids_.end(),
                     [](const Bid& a, const Bid& b) { return a.preference > b.preference; });
    if (bids_.size() > most_) bids_.resize(most_);
    return std::move(bids_);
  }

 private:
  [[nodiscard]] std::vector<Spot> dealt(std::uint32_t first, std::uint32_t end,
                                        bool from_back = false) const {
    return deal(instance_, page_.request, page_.offered, first, end, from_back);
  }

  void add(std::vector<Spot> spots, Type type, std::size_t used) {
    if (spots.empty()) return;
    if (type != Type::c && layout_of(nodes_of(spots)).blocks != 1) return;
    const double f = preference_of(instance_.requests[page_.request], type, spots.size(),
                                   page_.offered.size(), used, page_.sets.size());
    bids_.push_back({std::move(spots), f});
  }

  void add_within(const NodeSet& set) {
    std::vector<Spot> front = dealt(set.first, set.end);
    if (front.empty()) return;
    const auto length = static_cast<std::uint32_t>(front.size());
    add(std::move(front), Type::a, 1);
    if (set.end - set.first <= length) return;
    const std::uint32_t rest = set.end - set.first - length;
    add(dealt(set.first, set.end, true), Type::a, 1);
    if (rest > 1) add(dealt(set.first + rest / 2, set.end), Type::b, 1);
  }

  // From each nodeset on, as many of those after it as are needed.
  void add_over_several() {
    const std::vector<NodeSet>& sets = page_.sets;
    for (std::size_t s = 0; s + 1 < sets.size() && s < most_; ++s) {
      std::vector<Spot> spots = dealt(sets[s].first, sets.back().end);
      if (spots.empty()) return;
      const auto used =
          static_cast<std::size_t>(std::count_if(sets.begin(), sets.end(), [&](const NodeSet& set) {
            return set.first <= spots.back().node && set.end > spots.front().node;
          }));
      if (used > 1) add(std::move(spots), Type::c, used);
    }
  }

  const Instance& instance_;
  const Page& page_;
  std::uint32_t most_;
  std::vector<Bid> bids_;
};

BidBook::Page& BidBook::page(std::uint32_t request) {
  const Request& shape = instance_.requests[request];
  for (Page& page : pages_) {
    if (same_shape(instance_.requests[page.request], shape)) return page;
  }
  Page page;
  page.request = request;
  page.offered = offers(instance_, request, nodes_);
  for (std::uint32_t n = 0; n < page.offered.size(); ++n) {
    if (page.offered[n].units == 0) continue;
    if (!page.sets.empty() && page.sets.back().end == n) {
      ++page.sets.back().end;
    } else {
      page.sets.push_back({n, n + 1});
    }
  }
  pages_.push_back(std::move(page));
  return pages_.back();
}

const std::vector<Bid>& BidBook::bids(std::uint32_t request, bool contiguous) {
  Page& of_shape = page(request);
  std::optional<std::vector<Bid>>& made = of_shape.bids[contiguous ? 1 : 0];
  if (!made) made = Bidder(instance_, of_shape, most_).bids(contiguous);
  return *made;
}

double BidBook::preference(std::uint32_t request, const std::vector<Spot>& spots) {
  const Page& of_shape = page(request);
  const Layout layout = layout_of(nodes_of(spots));
  const auto aligned = [&](const NodeSet& set) {
    return spots.front().node == set.first || spots.back().node + 1 == set.end;
  };
  Type type = Type::c;
  if (layout.blocks == 1) {
    type = std::any_of(of_shape.sets.begin(), of_shape.sets.end(), aligned) ? Type::a : Type::b;
  }
  return preference_of(instance_.requests[request], type, spots.size(), of_shape.offered.size(),
                       layout.blocks, std::max<std::size_t>(of_shape.sets.size(), layout.blocks));
}

}  // namespace aliquot::ip
