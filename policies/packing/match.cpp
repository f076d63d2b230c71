#include "policies/packing/match.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

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

std::int64_t overlap(const std::vector<Held>& bin, const std::vector<Held>& host) {
  std::int64_t sum = 0;
  for (const Held& held : bin)
    for (const Held& old : host)
      if (old.owner == held.owner) sum += std::min(old.units, held.units);
  return sum;
}

// Hosts with the same content, of which the first ones are taken.
struct AlikeHosts {
  const std::vector<Held>* content;
  std::int64_t units;
  Nodes hosts{};  // increasing
  std::size_t taken = 0;
};

std::vector<AlikeHosts> alike(const Contents& hosts, const Nodes& nodes) {
  std::map<std::vector<Held>, AlikeHosts> found;
  for (std::uint32_t h = 0; h < nodes.size(); ++h) {
    const std::vector<Held>& content = hosts[nodes[h]];
    found.try_emplace(content, AlikeHosts{&content, units_on(content)}).first->second.hosts.push_back(h);
  }
  std::vector<AlikeHosts> listed;
  for (auto& [content, same] : found) listed.push_back(std::move(same));
  return listed;
}

// Each bin takes the free host with the largest overlap; among equals the one that holds least besides,
// so that a host with exactly this content is found before one that holds more; then the first. Large
// clusters hold large jobs, so that many hosts are alike, and many bins.
Nodes greedy_match(const Contents& bins, const Contents& hosts, const Nodes& nodes) {
  std::vector<AlikeHosts> groups = alike(hosts, nodes);
  std::vector<std::int64_t> kept(groups.size());  // of the content below
  const std::vector<Held>* content = nullptr;
  Nodes host_of(nodes.size());
  for (std::size_t b = 0; b < nodes.size(); ++b) {
    const std::vector<Held>& bin = bins[nodes[b]];
    if (!content || *content != bin)
      for (std::size_t g = 0; g < groups.size(); ++g) kept[g] = overlap(bin, *groups[g].content);
    content = &bin;
    std::size_t best = groups.size();
    const auto rank = [&](std::size_t g) {
      return std::tuple(-kept[g], groups[g].units, groups[g].hosts[groups[g].taken]);
    };
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (groups[g].taken == groups[g].hosts.size()) continue;
      if (best == groups.size() || rank(g) < rank(best)) best = g;
    }
    host_of[b] = groups[best].hosts[groups[best].taken++];
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
    const Nodes match = nodes.size() <= kExactMatch ? best_match(bins, OldHosts(hosts, nodes), nodes)
                                                    : greedy_match(bins, hosts, nodes);
    for (std::size_t b = 0; b < nodes.size(); ++b) host_of[nodes[b]] = nodes[match[b]];
  }
  return host_of;
}

}  // namespace aliquot
