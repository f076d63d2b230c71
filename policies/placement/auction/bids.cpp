#include "policies/placement/auction/bids.hpp"

#include <algorithm>

#include "policies/placement/model/layout.hpp"

namespace aliquot::ip {

namespace {

enum class Type : std::uint8_t { a, b, c };

Layout layout_of(const std::vector<NodeAllocation>& allocations) {
  std::vector<std::uint32_t> nodes;
  for (const NodeAllocation& a : allocations) nodes.push_back(a.node);
  return aliquot::layout_of(nodes);
}

// Only a number of cores: the papers' job type 1.
bool cores_alone(const Request& r) {
  return r.devices == 0 && r.per_node == 0 && r.min_nodes == 0 && r.max_nodes == 0;
}

// (19) with the constants of Table 9: `nodes` of `all` nodes, in `used` of `sets` nodesets.
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

std::vector<Bid> BidGenerator::make_bids(const Shape& shape, bool contiguous) const {
  std::vector<Bid> bids;
  const auto block = [&](std::uint32_t first, std::uint32_t end, bool from_back = false) {
    return distribute(instance_, shape.request, shape.fits, first, end, from_back);
  };
  const auto add = [&](std::vector<NodeAllocation> allocations, Type type, std::size_t used) {
    if (allocations.empty() || (type != Type::c && layout_of(allocations).blocks != 1)) return;
    const double f = preference_of(instance_.requests[shape.request], type, allocations.size(),
                                   shape.fits.size(), used, shape.sets.size());
    bids.push_back({std::move(allocations), f});
  };
  for (const NodeSet& set : shape.sets) {
    if (bids.size() >= 4 * std::size_t{most_bids_}) break;
    std::vector<NodeAllocation> front = block(set.first, set.end);
    if (front.empty()) continue;
    const std::uint32_t rest = set.end - set.first - static_cast<std::uint32_t>(front.size());
    add(std::move(front), Type::a, 1);
    if (rest > 0) add(block(set.first, set.end, true), Type::a, 1);
    if (rest > 1) add(block(set.first + rest / 2, set.end), Type::b, 1);
  }
  // From each nodeset on, as many of the following ones as the job needs.
  for (std::size_t s = 0; !contiguous && s + 1 < shape.sets.size() && s < most_bids_; ++s) {
    std::vector<NodeAllocation> allocations = block(shape.sets[s].first, shape.sets.back().end);
    if (allocations.empty()) break;
    const auto is_used = [&](const NodeSet& set) {
      return set.first <= allocations.back().node && set.end > allocations.front().node;
    };
    const auto used =
        static_cast<std::size_t>(std::count_if(shape.sets.begin(), shape.sets.end(), is_used));
    if (used > 1) add(std::move(allocations), Type::c, used);
  }
  std::stable_sort(bids.begin(), bids.end(),
                   [](const Bid& a, const Bid& b) { return a.preference > b.preference; });
  if (bids.size() > most_bids_) bids.resize(most_bids_);
  return bids;
}

BidGenerator::Shape& BidGenerator::shape_of(std::uint32_t request) {
  for (Shape& shape : shapes_) {
    if (same_shape(instance_.requests[shape.request], instance_.requests[request])) return shape;
  }
  Shape& shape = shapes_.emplace_back();
  shape.request = request;
  shape.fits = fits_of(instance_, request, nodes_);
  for (std::uint32_t n = 0; n < shape.fits.size(); ++n) {
    if (shape.fits[n].units == 0) continue;
    if (!shape.sets.empty() && shape.sets.back().end == n) {
      ++shape.sets.back().end;
    } else {
      shape.sets.push_back({n, n + 1});
    }
  }
  return shape;
}

const std::vector<Bid>& BidGenerator::bids(std::uint32_t request, bool contiguous) {
  Shape& shape = shape_of(request);
  std::optional<std::vector<Bid>>& bids = shape.bids[contiguous ? 1 : 0];
  if (!bids) bids = make_bids(shape, contiguous);
  return *bids;
}

double BidGenerator::preference(std::uint32_t request, const std::vector<NodeAllocation>& allocations) {
  const Shape& shape = shape_of(request);
  const Layout layout = layout_of(allocations);
  const auto at_an_end = [&](const NodeSet& set) {
    return allocations.front().node == set.first || allocations.back().node + 1 == set.end;
  };
  Type type = Type::c;
  if (layout.blocks == 1)
    type = std::any_of(shape.sets.begin(), shape.sets.end(), at_an_end) ? Type::a : Type::b;
  return preference_of(instance_.requests[request], type, allocations.size(), shape.fits.size(),
                       layout.blocks, std::max<std::size_t>(shape.sets.size(), layout.blocks));
}

}  // namespace aliquot::ip
