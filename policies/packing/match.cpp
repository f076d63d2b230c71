#include "policies/packing/match.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "policies/packing/assignment.hpp"

namespace aliquot {

namespace {

using Nodes = std::vector<std::uint32_t>;

// Where each owner stood: (node's position in its kind, units).
class OldHosts {
 public:
  OldHosts(const Contents& hosts, const Nodes& nodes) {
    for (std::uint32_t at = 0; at < nodes.size(); ++at) {
      for (const Held& held : hosts[nodes[at]]) {
        if (held.owner >= where_.size()) where_.resize(held.owner + 1);
        where_[held.owner].push_back({at, held.units});
      }
    }
  }
  // How many tasks of this bin would stay on each of the hosts. Returns whether any would.
  bool overlaps(const std::vector<Held>& bin, std::vector<std::int32_t>& row) const {
    std::fill(row.begin(), row.end(), 0);
    bool any = false;
    for (const Held& held : bin) {
      if (held.owner >= where_.size()) continue;
      for (const auto& [host, units] : where_[held.owner]) {
        row[host] += static_cast<std::int32_t>(std::min(held.units, units));
        any = true;
      }
    }
    return any;
  }

 private:
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> where_;
};

// A bin that shares no task with any host goes to a host that is left.
Nodes best_match(const Contents& bins, const OldHosts& old, const Nodes& nodes) {
  Gains gains{nodes.size(), {}};
  Nodes matched;
  std::vector<std::int32_t> row(nodes.size());
  for (std::uint32_t b = 0; b < nodes.size(); ++b) {
    if (!old.overlaps(bins[nodes[b]], row)) continue;
    gains.all.insert(gains.all.end(), row.begin(), row.end());
    matched.push_back(b);
  }
  const Nodes best = best_assignment(gains);
  constexpr std::uint32_t kNone = UINT32_MAX;
  Nodes host_of(nodes.size(), kNone);
  std::vector<bool> taken(nodes.size(), false);
  for (std::size_t k = 0; k < matched.size(); ++k) {
    host_of[matched[k]] = best[k];
    taken[best[k]] = true;
  }
  std::uint32_t next = 0;
  for (std::uint32_t& host : host_of) {
    if (host != kNone) continue;
    while (taken[next]) ++next;
    host = next++;
  }
  return host_of;
}

std::int64_t units_on(const std::vector<Held>& node) {
  return std::accumulate(node.begin(), node.end(), std::int64_t{0},
                         [](std::int64_t sum, const Held& held) { return sum + held.units; });
}

// Each bin takes the free host with the largest overlap; among equals the one that holds least besides,
// so that a host with exactly this content is found before one that holds more.
Nodes greedy_match(const Contents& bins, const Contents& hosts, const OldHosts& old, const Nodes& nodes) {
  Nodes host_of(nodes.size());
  std::vector<std::int64_t> size(nodes.size());
  for (std::size_t h = 0; h < nodes.size(); ++h) size[h] = units_on(hosts[nodes[h]]);
  std::vector<bool> taken(nodes.size(), false);
  std::vector<std::int32_t> row(nodes.size());
  for (std::size_t b = 0; b < nodes.size(); ++b) {
    old.overlaps(bins[nodes[b]], row);
    std::size_t best = nodes.size();
    for (std::size_t h = 0; h < nodes.size(); ++h) {
      if (taken[h]) continue;
      if (best == nodes.size() || row[h] > row[best] || (row[h] == row[best] && size[h] < size[best])) {
        best = h;
      }
    }
    taken[best] = true;
    host_of[b] = static_cast<std::uint32_t>(best);
  }
  return host_of;
}

}  // namespace

std::vector<std::uint32_t> match_bins(const Contents& bins, const Contents& hosts,
                                      const std::vector<std::int32_t>& kind) {
  Nodes host_of(bins.size());
  std::iota(host_of.begin(), host_of.end(), 0U);
  std::map<std::int32_t, Nodes> kinds;
  for (std::uint32_t n = 0; n < bins.size(); ++n) {
    if (kind[n] != kNotMatched) kinds[kind[n]].push_back(n);
  }
  for (const auto& [key, nodes] : kinds) {
    const OldHosts old(hosts, nodes);
    const Nodes match =
        nodes.size() <= kExactMatch ? best_match(bins, old, nodes) : greedy_match(bins, hosts, old, nodes);
    for (std::size_t b = 0; b < nodes.size(); ++b) host_of[nodes[b]] = nodes[match[b]];
  }
  return host_of;
}

}  // namespace aliquot
