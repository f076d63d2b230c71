#include "policies/packing/match.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

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
  // How many tasks of this bin would stay if it went to each of the hosts.
  void overlaps(const std::vector<Held>& bin, std::vector<std::int64_t>& row) const {
    std::fill(row.begin(), row.end(), 0);
    for (const Held& held : bin) {
      if (held.owner >= where_.size()) continue;
      for (const auto& [host, units] : where_[held.owner]) row[host] += std::min(held.units, units);
    }
  }

 private:
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> where_;
};

// The assignment of rows to columns of least cost, by shortest augmenting paths with potentials. Returns
// the column of each row. O(n^3); ties go to the lower column.
Nodes least_cost_assignment(const std::vector<std::vector<std::int64_t>>& cost) {
  const std::size_t n = cost.size();
  const std::size_t none = n;
  std::vector<std::int64_t> row_potential(n, 0);
  std::vector<std::int64_t> column_potential(n, 0);
  std::vector<std::size_t> row_of(n, none);
  std::vector<std::size_t> open;  // rows whose cheapest column another row had before
  for (std::size_t row = 0; row < n; ++row) {
    const auto cheapest = std::min_element(cost[row].begin(), cost[row].end());
    row_potential[row] = *cheapest;
    std::size_t& owner = row_of[static_cast<std::size_t>(cheapest - cost[row].begin())];
    if (owner == none) {
      owner = row;
    } else {
      open.push_back(row);
    }
  }
  for (const std::size_t start : open) {
    std::vector<std::int64_t> slack(n, std::numeric_limits<std::int64_t>::max());
    std::vector<std::size_t> reached_from(n, none);  // the column before on the path
    std::vector<bool> settled(n, false);
    std::size_t row = start;
    std::size_t column = none;
    for (;;) {
      std::size_t next = none;
      for (std::size_t c = 0; c < n; ++c) {
        if (settled[c]) continue;
        const std::int64_t reduced = cost[row][c] - row_potential[row] - column_potential[c];
        if (reduced < slack[c]) {
          slack[c] = reduced;
          reached_from[c] = column;
        }
        if (next == none || slack[c] < slack[next]) next = c;
      }
      const std::int64_t delta = slack[next];
      row_potential[start] += delta;
      for (std::size_t c = 0; c < n; ++c) {
        if (settled[c]) {
          row_potential[row_of[c]] += delta;
          column_potential[c] -= delta;
        } else if (slack[c] != std::numeric_limits<std::int64_t>::max()) {
          slack[c] -= delta;
        }
      }
      settled[next] = true;
      column = next;
      if (row_of[column] == none) break;
      row = row_of[column];
    }
    for (; column != none; column = reached_from[column]) {
      row_of[column] = reached_from[column] == none ? start : row_of[reached_from[column]];
    }
  }
  Nodes column_of(n);
  for (std::size_t c = 0; c < n; ++c) column_of[row_of[c]] = static_cast<std::uint32_t>(c);
  return column_of;
}

Nodes best_match(const Contents& bins, const OldHosts& old, const Nodes& nodes) {
  std::vector<std::vector<std::int64_t>> cost(nodes.size(), std::vector<std::int64_t>(nodes.size()));
  for (std::size_t b = 0; b < nodes.size(); ++b) {
    old.overlaps(bins[nodes[b]], cost[b]);
    for (std::int64_t& c : cost[b]) c = -c;
  }
  return least_cost_assignment(cost);
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
  std::vector<std::int64_t> row(nodes.size());
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
