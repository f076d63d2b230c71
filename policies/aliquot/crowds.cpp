#include "policies/aliquot/crowds.hpp"

#include <algorithm>
#include <span>

namespace aliquot {

namespace {

constexpr double kMillionth = 1e-6;

double real(Cpu cpu) { return static_cast<double>(cpu.raw); }

}  // namespace

Crowds::Crowds(const Draft& draft, const Outlooks& outlooks, Yield floor)
    : draft_(draft),
      outlooks_(outlooks),
      lists_(draft),
      crowds_(draft.memory()),
      parts_(draft.memory()),
      stakes_(draft.memory()),
      members_(draft.memory()),
      floors_(draft.memory()),
      guaranteed_(draft.memory()),
      search_(draft.memory()) {
  if (lists_.lists.empty()) return;
  crowds_.reserve(lists_.lists.size());
  for (const CrowdLists::List& list : lists_.lists)
    crowds_.push_back({list, draft.node(list.node).capacity});
  add_members();
  set_floors(floor);
}

void Crowds::add_members() {
  constexpr std::uint32_t kNone = CrowdLists::kNone;
  std::pmr::vector<std::uint32_t> member_of(draft_.size(), kNone, draft_.memory());
  parts_.reserve(lists_.claims.size());
  members_.reserve(draft_.placed_count());
  guaranteed_.reserve(draft_.placed_count());
  for (const Claim& claim : lists_.claims) {
    std::uint32_t& member = member_of[claim.entry];
    if (member == kNone) {
      member = static_cast<std::uint32_t>(members_.size());
      const Demand& demand = draft_.job(claim.entry).demand;
      const Outlook& job = outlooks_[claim.entry];
      members_.push_back(
          {real(demand.need), 0, job.flow, job.stall, job.rest, job.whole, job.at_full, claim.entry});
      guaranteed_.push_back(floor_of(demand));
    }
    parts_.push_back({member, claim.units});
  }
}

// Where guarantees and floors together are more than a node has, the guarantees alone stand.
void Crowds::set_floors(Yield floor) {
  const Yield most = *std::max_element(guaranteed_.begin(), guaranteed_.end());
  std::pmr::vector<std::uint32_t> close(draft_.memory());  // crowds that may come to more than they have
  floors_.resize(members_.size(), Yield{INT64_MAX});
  for (std::uint32_t k = 0; k < crowds_.size(); ++k) {
    const Crowd& crowd = crowds_[k];
    const Yield fair = yield_for(crowd.spare, draft_.room(crowd.node).load);
    const Yield least{multiply_divide(fair.raw, floor.raw, kMillion)};
    for (const CrowdPart& part : parts_of(crowd))
      floors_[part.member] = std::min(floors_[part.member], least);
    if (least + most > fair) close.push_back(k);
  }
  for (const std::uint32_t k : close) {
    Cpu sum;
    for (const CrowdPart& part : parts_of(crowds_[k])) {
      const Yield both = std::max(floors_[part.member], guaranteed_[part.member]);
      sum += draft_.job(members_[part.member].entry).demand.need * both * part.units;
    }
    if (sum <= crowds_[k].spare) continue;
    for (const CrowdPart& part : parts_of(crowds_[k])) floors_[part.member] = {};
  }
  for (std::size_t m = 0; m < members_.size(); ++m) {
    floors_[m] = std::max(floors_[m], guaranteed_[m]);
    members_[m].least = static_cast<double>(floors_[m].raw) * kMillionth;
  }
}

// What they are given at S.
double Crowds::given(const Crowd& crowd, double stretch) const {
  double sum = 0;
  for (const CrowdPart& part : parts_of(crowd)) {
    const CrowdMember& job = members_[part.member];
    const double need = job.need * part.units;
    const double left = stretch * job.whole - job.flow - job.stall;
    sum += left <= job.rest ? need : need * std::max(job.least, job.rest / left);
  }
  return sum;
}

double Crowds::level_of(const Crowd& crowd) {
  search_.clear();
  for (const CrowdPart& part : parts_of(crowd)) search_.add(members_[part.member], part.units);
  return search_.level(real(crowd.spare));
}

void Crowds::settle(Yields& yields) {
  stakes_.index(crowds_, parts_, members_.size());
  Settling(draft_, outlooks_, {crowds_, parts_, stakes_, members_, floors_, guaranteed_}).settle(yields);
}

// A node that can give what S asks for is not worse than S: one look instead of a search.
double Crowds::worst() {
  double worst = 0;
  for (Crowd& crowd : crowds_) {
    crowd.level = given(crowd, worst) <= real(crowd.spare) ? 0 : level_of(crowd);
    worst = std::max(worst, crowd.level);
  }
  return worst;
}

bool Crowds::within(double stretch) const {
  return std::all_of(crowds_.begin(), crowds_.end(),
                     [&](const Crowd& crowd) { return given(crowd, stretch) <= real(crowd.spare); });
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
  for (const Crowd& crowd : crowds_) {
    if (given(crowd, stretch) <= real(crowd.spare)) continue;
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

}  // namespace aliquot
