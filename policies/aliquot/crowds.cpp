#include "policies/aliquot/crowds.hpp"

#include <algorithm>
#include <span>

namespace aliquot {

namespace {

constexpr double kMillionth = 1e-6;
constexpr double kLargestStretch = 1e12;
constexpr double kAccuracy = 1e-6;  // of S, relative: always on the side that fits

constexpr Yield kWhileStalled{kMillion / 100};

double real(Cpu cpu) { return static_cast<double>(cpu.raw); }

}  // namespace

Crowds::Crowds(const Draft& draft, const Outlooks& outlooks, Yield floor)
    : draft_(draft),
      outlooks_(outlooks),
      crowds_(draft.memory()),
      claims_(draft.memory()),
      members_(draft.memory()) {
  gather();
  if (crowds_.empty()) return;
  set_floors(floor);
}

// Who has tasks on a crowded node, node by node, each in the order of the entries.
void Crowds::gather() {
  std::pmr::vector<std::uint32_t> nodes(draft_.memory());
  const Room* const rooms = draft_.rooms().all();
  for (const NodeRun& run : draft_.node_runs()) {
    for (std::uint32_t n = run.first; n < run.first + run.count; ++n) {
      if (rooms[n].load > run.capacity) nodes.push_back(n);
    }
  }
  if (nodes.empty()) return;
  std::pmr::vector<std::uint32_t> place(draft_.nodes(), UINT32_MAX, draft_.memory());
  std::pmr::vector<std::uint32_t> ends(nodes.size() + 1, 0, draft_.memory());
  for (std::uint32_t k = 0; k < nodes.size(); ++k) place[nodes[k]] = k;
  const auto placed = draft_.placed_entries();
  const auto each = [&](auto&& tell) {
    for (const std::uint32_t i : placed) {
      for (const Share& share : draft_.placement(i)) {
        if (place[share.node.raw] != UINT32_MAX) tell(place[share.node.raw], Claim{i, share.units});
      }
    }
  };
  each([&](std::uint32_t k, const Claim&) { ++ends[k + 1]; });
  for (std::size_t k = 1; k < ends.size(); ++k) ends[k] += ends[k - 1];
  std::pmr::vector<Claim> claims(ends.back(), draft_.memory());
  std::pmr::vector<std::uint64_t> mixed(nodes.size(), 0, draft_.memory());
  each([&](std::uint32_t k, const Claim& claim) {
    claims[ends[k]++] = claim;
    mixed[k] = (mixed[k] ^ (std::uint64_t{claim.entry} << 32 | claim.units)) * 0x9e3779b97f4a7c15ULL;
  });
  members_.resize(draft_.size());
  join_equal_nodes(nodes, ends, claims, mixed);
}

// ends[k] is where the claims of node k end; mixed[k] tells most lists of claims apart.
void Crowds::join_equal_nodes(const std::pmr::vector<std::uint32_t>& nodes,
                              const std::pmr::vector<std::uint32_t>& ends,
                              const std::pmr::vector<Claim>& claims,
                              const std::pmr::vector<std::uint64_t>& mixed) {
  claims_.reserve(claims.size());
  std::size_t slots = 16;
  while (slots < 2 * nodes.size()) slots *= 2;
  std::pmr::vector<std::uint32_t> known(slots, 0, draft_.memory());  // crowd + 1, by `mixed`; 0: free
  std::uint32_t first = 0;
  for (std::uint32_t k = 0; k < nodes.size(); ++k) {
    const std::span<const Claim> here(claims.data() + first, ends[k] - first);
    const Cpu capacity = draft_.node(nodes[k]).capacity;
    const auto same = [&](const Crowd& crowd) {
      const std::span<const Claim> there(claims_.data() + crowd.first, crowd.last - crowd.first);
      return crowd.spare == capacity && std::equal(here.begin(), here.end(), there.begin(), there.end());
    };
    std::size_t at = (mixed[k] >> 32) & (slots - 1);
    while (known[at] != 0 && !same(crowds_[known[at] - 1])) at = (at + 1) & (slots - 1);
    if (known[at] == 0) {
      const auto begin = static_cast<std::uint32_t>(claims_.size());
      claims_.insert(claims_.end(), here.begin(), here.end());
      crowds_.push_back({begin, static_cast<std::uint32_t>(claims_.size()), nodes[k], capacity});
      known[at] = static_cast<std::uint32_t>(crowds_.size());
    }
    first = ends[k];
  }
}

// Where guarantees and floors together are more than a node has, the guarantees alone stand.
void Crowds::set_floors(Yield floor) {
  for (const Crowd& crowd : crowds_) {
    const Yield fair = yield_for(crowd.spare, draft_.room(crowd.node).load);
    const Yield least{multiply_divide(fair.raw, floor.raw, kMillion)};
    for (std::uint32_t c = crowd.first; c < crowd.last; ++c) {
      Member& member = members_[claims_[c].entry];
      const bool seen = member.need > 0;
      member.need = real(draft_.job(claims_[c].entry).demand.need);
      member.floor = seen ? std::min(member.floor, least) : least;
    }
  }
  const auto guarantee = [&](std::uint32_t entry) { return floor_of(draft_.job(entry).demand); };
  for (const Crowd& crowd : crowds_) {
    Cpu sum;
    for (std::uint32_t c = crowd.first; c < crowd.last; ++c) {
      const Claim& claim = claims_[c];
      const Yield both = std::max(members_[claim.entry].floor, guarantee(claim.entry));
      sum += draft_.job(claim.entry).demand.need * both * claim.units;
    }
    if (sum <= crowd.spare) continue;
    for (std::uint32_t c = crowd.first; c < crowd.last; ++c) members_[claims_[c].entry].floor = {};
  }
  for (const Claim& claim : claims_) {
    Member& member = members_[claim.entry];
    member.floor = std::max(member.floor, guarantee(claim.entry));
    member.least = static_cast<double>(member.floor.raw) * kMillionth;
  }
}

// What those that are not settled are given at S, and how fast that changes.
double Crowds::given(const Crowd& crowd, double stretch, double& slope) const {
  double sum = 0;
  slope = 0;
  for (std::uint32_t c = crowd.first; c < crowd.last; ++c) {
    const Member& member = members_[claims_[c].entry];
    if (!member.rising) continue;
    const double need = member.need * claims_[c].units;
    const Outlook& job = outlooks_[claims_[c].entry];
    const double left = stretch * job.whole - job.flow - job.stall;
    if (left <= job.rest) {
      sum += need;
    } else if (const double share = job.rest / left; share <= member.least) {
      sum += need * member.least;
    } else {
      sum += need * share;
      slope -= need * share / left * job.whole;
    }
  }
  return sum;
}

// Newton's method, within what is known already: what is given falls with S, convex but for a kink where a
// job begins to get less than it needs. Ends on the side that fits.
double Crowds::level_of(const Crowd& crowd) const {
  const double spare = real(crowd.spare);
  double low = kLargestStretch;
  for (std::uint32_t c = crowd.first; c < crowd.last; ++c) {
    if (members_[claims_[c].entry].rising) low = std::min(low, outlooks_[claims_[c].entry].at_full);
  }
  double slope = 0;
  double at = low;
  double sum = given(crowd, at, slope);
  if (sum <= spare) return 0;
  double high = 2 * kLargestStretch;
  while (high - low > kAccuracy * high) {
    at = (slope < 0 ? at + (sum - spare) / -slope : high) * (1 + kAccuracy / 4);
    if (!(at > low && at < high)) at = high > kLargestStretch ? 2 * low : low + (high - low) / 2;
    if (at > kLargestStretch) return at;
    sum = given(crowd, at, slope);
    (sum <= spare ? high : low) = at;
    if (sum <= spare && spare - sum <= kAccuracy * spare) break;
  }
  return high;
}

Yield Crowds::yield_at(std::uint32_t entry, double stretch) const {
  return std::max(members_[entry].floor, yield_from_solver(outlooks_[entry].share(stretch)));
}

const Crowds::Crowd* Crowds::find_worst() const {
  const Crowd* worst = nullptr;
  for (const Crowd& crowd : crowds_) {
    if (!crowd.done && (worst == nullptr || crowd.level > worst->level)) worst = &crowd;
  }
  return worst;
}

// A node that can give what S asks for is not worse than S: one look instead of a search.
double Crowds::worst() {
  double worst = 0;
  double slope = 0;
  for (Crowd& crowd : crowds_) {
    crowd.level = given(crowd, worst, slope) <= real(crowd.spare) ? 0 : level_of(crowd);
    worst = std::max(worst, crowd.level);
  }
  return worst;
}

bool Crowds::within(double stretch) const {
  double slope = 0;
  return std::all_of(crowds_.begin(), crowds_.end(),
                     [&](const Crowd& crowd) { return given(crowd, stretch, slope) <= real(crowd.spare); });
}

std::pmr::vector<std::uint32_t> Crowds::jobs_of_worst() const {
  const Crowd* const worst = find_worst();
  std::pmr::vector<std::uint32_t> jobs(draft_.memory());
  for (std::uint32_t c = worst->first; c < worst->last; ++c) jobs.push_back(claims_[c].entry);
  return jobs;
}

std::pmr::vector<std::uint32_t> Crowds::on_all_beyond(double stretch) const {
  std::pmr::vector<std::uint32_t> jobs(draft_.memory());
  bool first = true;
  double slope = 0;
  for (const Crowd& crowd : crowds_) {
    if (given(crowd, stretch, slope) <= real(crowd.spare)) continue;
    const auto begin = claims_.begin() + crowd.first;
    const auto end = claims_.begin() + crowd.last;
    if (first) {
      for (auto claim = begin; claim != end; ++claim) jobs.push_back(claim->entry);
    } else {
      std::erase_if(jobs, [&](std::uint32_t entry) {
        return std::none_of(begin, end, [=](const Claim& claim) { return claim.entry == entry; });
      });
    }
    first = false;
  }
  return jobs;
}

void Crowds::freeze(std::uint32_t entry, Yield yield, Yields& yields) {
  members_[entry].rising = false;
  yields[entry] = yield;
  const Cpu each = draft_.job(entry).demand.need * yield;
  for (Crowd& crowd : crowds_) {
    if (crowd.done) continue;
    const auto begin = claims_.begin() + crowd.first;
    const auto end = claims_.begin() + crowd.last;
    const auto at =
        std::lower_bound(begin, end, entry, [](const Claim& c, std::uint32_t e) { return c.entry < e; });
    if (at == end || at->entry != entry) continue;
    crowd.spare -= each * at->units;
    crowd.stale = true;
  }
}

void Crowds::lend(Yields& yields) {
  for (const Claim& claim : claims_) {
    const Member& member = members_[claim.entry];
    if (!member.rising || !(outlooks_[claim.entry].stall > 0)) continue;
    const Yield guaranteed = floor_of(draft_.job(claim.entry).demand);
    freeze(claim.entry, std::max(guaranteed, std::min(member.floor, kWhileStalled)), yields);
  }
  for (Crowd& crowd : crowds_) crowd.stale = false;
}

void Crowds::settle(Yields& yields) {
  lend(yields);
  for (Crowd& crowd : crowds_) crowd.level = level_of(crowd);
  while (const Crowd* found = find_worst()) {
    Crowd& crowd = crowds_[static_cast<std::size_t>(found - crowds_.data())];
    if (crowd.stale) {
      crowd.stale = false;
      const double before = crowd.level;
      crowd.level = level_of(crowd);
      if (crowd.level < before) continue;  // another may be the worst now
    }
    crowd.done = true;
    for (std::uint32_t c = crowd.first; c < crowd.last; ++c) {
      const std::uint32_t entry = claims_[c].entry;
      if (!members_[entry].rising) continue;
      freeze(entry, crowd.level > 0 ? yield_at(entry, crowd.level) : kFullYield, yields);
    }
  }
}

}  // namespace aliquot
