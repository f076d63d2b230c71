#include "policies/placement/auction/contiguity.hpp"

#include <algorithm>

#include "policies/placement/model/devices.hpp"
#include "policies/placement/solver/placer.hpp"

namespace aliquot::ip {

namespace {

struct NodeLimits {
  std::uint32_t least = 1;
  std::uint32_t most = 1;
};

NodeLimits limits_of(const Request& r) {
  NodeLimits limits{1, r.units};
  if (r.per_node > 0)
    limits.least = limits.most = r.units / r.per_node + (r.units % r.per_node > 0 ? 1 : 0);
  limits.least = std::max({limits.least, r.min_nodes, 1U});
  if (r.max_nodes > 0) limits.most = std::min(limits.most, r.max_nodes);
  return limits;
}

}  // namespace

std::vector<NodeFit> fits_of(const Instance& instance, std::uint32_t request, const NodeResources& nodes) {
  const Request& r = instance.requests[request];
  std::vector<NodeFit> fits(nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (!nodes[n]) continue;
    const auto device = choose_device(instance.kinds[nodes[n]->kind], *nodes[n], r);
    if (device) fits[n] = {units_on(instance, *nodes[n], r), *device};
  }
  return fits;
}

std::vector<NodeAllocation> distribute(const Instance& instance, std::uint32_t request,
                                       const std::vector<NodeFit>& fits, std::uint32_t first,
                                       std::uint32_t end, bool from_back) {
  const Request& r = instance.requests[request];
  const NodeLimits limits = limits_of(r);
  std::vector<NodeAllocation> allocations;
  std::uint32_t left = r.units;
  for (std::uint32_t k = 0; k < end - first && left > 0; ++k) {
    const std::uint32_t n = from_back ? end - 1 - k : first + k;
    if (fits[n].units == 0) continue;
    // Each of the nodes that still have to follow gets at least one unit.
    const auto so_far = static_cast<std::uint32_t>(allocations.size());
    const std::uint32_t kept = limits.least > so_far + 1 ? limits.least - so_far - 1 : 0;
    if (left <= kept) return {};
    std::uint32_t units = std::min(fits[n].units, left - kept);
    if (r.per_node > 0) units = std::min(r.per_node, left);
    if (units > fits[n].units) continue;  // a later node may hold a full share
    allocations.push_back({request, n, units, fits[n].device});
    left -= units;
  }
  if (left > 0 || allocations.size() < limits.least || allocations.size() > limits.most) return {};
  if (from_back) std::reverse(allocations.begin(), allocations.end());
  return allocations;
}

std::vector<NodeAllocation> shortest_run(const Instance& instance, std::uint32_t request,
                                         const NodeResources& nodes) {
  const Request& r = instance.requests[request];
  if (r.units == 0) return {};
  const std::vector<NodeFit> fits = fits_of(instance, request, nodes);
  const std::uint32_t least = limits_of(r).least;
  const std::uint32_t full_share = r.per_node > 0 ? std::min(r.per_node, r.units) : 1;
  std::vector<NodeAllocation> best;
  // A window [first, n] over the nodes, as short as its units allow.
  std::uint64_t units = 0;
  std::uint32_t first = 0;
  for (std::uint32_t n = 0; n < fits.size(); ++n) {
    units += fits[n].units;
    while (first < n && units - fits[first].units >= r.units && n - first >= least) {
      units -= fits[first].units;
      ++first;
    }
    const bool improvable = best.empty() || best.size() > least;
    if (fits[n].units > 0 && units >= r.units && n + 1 - first >= least && improvable) {
      std::vector<NodeAllocation> run = distribute(instance, request, fits, first, n + 1);
      const bool contiguous = !run.empty() && run.back().node - run.front().node + 1 == run.size();
      if (contiguous && (best.empty() || run.size() < best.size())) best = std::move(run);
    }
    // A node that holds less than a full share can only be the last of a run.
    if (fits[n].units < full_share) {
      first = n + 1;
      units = 0;
    }
  }
  return best;
}

}  // namespace aliquot::ip
