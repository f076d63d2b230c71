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
      lists_(draft),
      crowds_(draft.memory()),
      members_(draft.memory()),
      stakes_(draft.memory()),
      stakes_from_(draft.memory()) {
  if (lists_.lists.empty()) return;
  crowds_.reserve(lists_.lists.size());
  for (const CrowdLists::List& list : lists_.lists)
    crowds_.push_back({list, draft.node(list.node).capacity});
  members_.resize(draft.size());
  set_floors(floor);
}

// Where guarantees and floors together are more than a node has, the guarantees alone stand.
void Crowds::set_floors(Yield floor) {
  for (const Crowd& crowd : crowds_) {
    const Yield fair = yield_for(crowd.spare, draft_.room(crowd.node).load);
    const Yield least{multiply_divide(fair.raw, floor.raw, kMillion)};
    for (const Claim& claim : claims_of(crowd)) {
      Member& member = members_[claim.entry];
      if (member.known) {
        member.floor = std::min(member.floor, least);
        continue;
      }
      const Demand& demand = draft_.job(claim.entry).demand;
      member.known = true;
      member.need = real(demand.need);
      member.floor = least;
      member.guaranteed = floor_of(demand);
    }
  }
  for (const Crowd& crowd : crowds_) {
    Cpu sum;
    for (const Claim& claim : claims_of(crowd)) {
      const Member& member = members_[claim.entry];
      const Yield both = std::max(member.floor, member.guaranteed);
      sum += draft_.job(claim.entry).demand.need * both * claim.units;
    }
    if (sum <= crowd.spare) continue;
    for (const Claim& claim : claims_of(crowd)) members_[claim.entry].floor = {};
  }
  for (Member& member : members_) {
    if (!member.known) continue;
    member.floor = std::max(member.floor, member.guaranteed);
    member.least = static_cast<double>(member.floor.raw) * kMillionth;
  }
}

// What those that are not settled are given at S, and how fast that changes.
double Crowds::given(const Crowd& crowd, double stretch, double& slope) const {
  double sum = 0;
  slope = 0;
  for (const Claim& claim : claims_of(crowd)) {
    const Member& member = members_[claim.entry];
    if (!member.rising) continue;
    const double need = member.need * claim.units;
    const Outlook& job = outlooks_[claim.entry];
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
  for (const Claim& claim : claims_of(crowd)) {
    if (members_[claim.entry].rising) low = std::min(low, outlooks_[claim.entry].at_full);
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

// What a crowd would give at S at least, with other claims of one job: none if it has no units. In the same
// order as it will be added up if it comes to that, so that no rounding makes it more.
double Crowds::least_given(const Crowd& crowd, double stretch, Claim other, const Outlook& after) const {
  double sum = 0;
  const auto add = [&](const Claim& claim, const Outlook& job) {
    const Demand& demand = draft_.job(claim.entry).demand;
    const double need = real(demand.need) * claim.units;
    const double least = static_cast<double>(floor_of(demand).raw) * kMillionth;
    sum += need * std::max(job.share(stretch), least);
  };
  bool missing = other.units > 0;
  for (const Claim& claim : claims_of(crowd)) {
    if (missing && claim.entry >= other.entry) {
      add(other, after);
      missing = false;
    }
    if (claim.entry != other.entry) add(claim, outlooks_[claim.entry]);
  }
  if (missing) add(other, after);
  return sum;
}

bool Crowds::surely_beyond(double stretch, std::uint32_t entry, Shares to, const Outlook& after) const {
  const auto beyond = [&](const Crowd& crowd, std::uint32_t units) {
    return least_given(crowd, stretch, {entry, units}, after) > real(crowd.spare);
  };
  if (to.empty()) {
    return std::any_of(crowds_.begin(), crowds_.end(),
                       [&](const Crowd& crowd) { return beyond(crowd, 0); });
  }
  std::uint32_t last = CrowdLists::kNone;  // neighbours are often alike
  std::uint32_t units = 0;
  for (const Share& share : to) {
    const std::uint32_t k = lists_.at[share.node.raw];
    if (k == CrowdLists::kNone || (k == last && share.units == units)) continue;
    last = k;
    units = share.units;
    if (beyond(crowds_[k], units)) return true;
  }
  return false;
}

std::pmr::vector<std::uint32_t> Crowds::jobs_of_worst() const {
  const auto worst = std::max_element(crowds_.begin(), crowds_.end(),
                                      [](const Crowd& a, const Crowd& b) { return a.level < b.level; });
  std::pmr::vector<std::uint32_t> jobs(draft_.memory());
  for (const Claim& claim : claims_of(*worst)) jobs.push_back(claim.entry);
  return jobs;
}

std::pmr::vector<std::uint32_t> Crowds::on_all_beyond(double stretch) const {
  std::pmr::vector<std::uint32_t> jobs(draft_.memory());
  bool first = true;
  double slope = 0;
  for (const Crowd& crowd : crowds_) {
    if (given(crowd, stretch, slope) <= real(crowd.spare)) continue;
    const auto claims = claims_of(crowd);
    if (first) {
      for (const Claim& claim : claims) jobs.push_back(claim.entry);
    } else {
      std::erase_if(jobs, [&](std::uint32_t entry) {
        return std::none_of(claims.begin(), claims.end(),
                            [=](const Claim& claim) { return claim.entry == entry; });
      });
    }
    first = false;
  }
  return jobs;
}

void Crowds::index_claims() {
  stakes_from_.assign(members_.size() + 1, 0);
  for (const Claim& claim : lists_.claims) ++stakes_from_[claim.entry];
  std::uint32_t end = 0;
  for (std::uint32_t& from : stakes_from_) from = end += from;
  stakes_.resize(lists_.claims.size());
  for (std::uint32_t k = 0; k < crowds_.size(); ++k) {
    for (const Claim& claim : claims_of(crowds_[k]))
      stakes_[--stakes_from_[claim.entry]] = {k, claim.units};
  }
}

void Crowds::freeze(std::uint32_t entry, Yield yield, Yields& yields) {
  members_[entry].rising = false;
  yields[entry] = yield;
  const Cpu each = draft_.job(entry).demand.need * yield;
  for (std::uint32_t k = stakes_from_[entry]; k < stakes_from_[entry + 1]; ++k) {
    Crowd& crowd = crowds_[stakes_[k].crowd];
    if (crowd.done) continue;
    crowd.spare -= each * stakes_[k].units;
    crowd.stale = true;
  }
}

void Crowds::lend(Yields& yields) {
  for (const Claim& claim : lists_.claims) {
    const Member& member = members_[claim.entry];
    if (!member.rising || !(outlooks_[claim.entry].stall > 0)) continue;
    freeze(claim.entry, std::max(member.guaranteed, std::min(member.floor, kWhileStalled)), yields);
  }
  for (Crowd& crowd : crowds_) crowd.stale = false;
}

// The worst first; of equals the first. A level that is stale is an upper bound.
void Crowds::settle(Yields& yields) {
  index_claims();
  lend(yields);
  std::pmr::vector<std::uint32_t> order(crowds_.size(), draft_.memory());
  for (std::uint32_t k = 0; k < crowds_.size(); ++k) {
    order[k] = k;
    crowds_[k].level = level_of(crowds_[k]);
  }
  const auto better = [&](std::uint32_t a, std::uint32_t b) {
    return crowds_[a].level != crowds_[b].level ? crowds_[a].level < crowds_[b].level : a > b;
  };
  std::make_heap(order.begin(), order.end(), better);
  while (!order.empty()) {
    std::pop_heap(order.begin(), order.end(), better);
    Crowd& crowd = crowds_[order.back()];
    if (crowd.stale) {
      crowd.stale = false;
      const double before = crowd.level;
      crowd.level = level_of(crowd);
      if (crowd.level < before) {  // another may be the worst now
        std::push_heap(order.begin(), order.end(), better);
        continue;
      }
    }
    order.pop_back();
    crowd.done = true;
    for (const Claim& claim : claims_of(crowd)) {
      if (!members_[claim.entry].rising) continue;
      freeze(claim.entry, crowd.level > 0 ? yield_at(claim.entry, crowd.level) : kFullYield, yields);
    }
  }
}

}  // namespace aliquot
