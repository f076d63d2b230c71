#include "policies/aliquot/crowds.hpp"

#include <algorithm>
#include <span>

namespace aliquot {

namespace {

constexpr double kMillionth = 1e-6;

double real(Cpu cpu) { return static_cast<double>(cpu.raw); }

// More than a level may be found beyond the stretch at which a node can give what is asked for, or than is
// left there: relative.
constexpr double kAccuracy = 1e-8;

}  // namespace

bool surely_within(const Draft& draft, const Outlooks& outlooks, const Floors& floors, double stretch) {
  std::pmr::vector<double> given(draft.nodes(), 0, draft.memory());
  for (const std::uint32_t i : floors.jobs()) {
    const Outlook& job = outlooks[i];
    const double least = static_cast<double>(floors.of(i).raw) * kMillionth;
    const double each = real(job.need) * std::max(least, job.share(stretch * (1 - kAccuracy)));
    for (const Share& share : draft.placement(i)) given[share.node.raw] += each * share.units;
  }
  const NodeRun* run = draft.node_runs().data();
  for (const std::uint32_t n : floors.crowded_nodes()) {
    while (n >= run->first + run->count) ++run;
    if (given[n] > real(run->capacity) * (1 - kAccuracy)) return false;
  }
  return true;
}

Crowds::Crowds(const Draft& draft, const Outlooks& outlooks, Yield floor)
    : draft_(draft),
      outlooks_(outlooks),
      lists_(draft),
      crowds_(draft.memory()),
      parts_(draft.memory()),
      members_(draft.memory()),
      search_(draft.memory()) {
  if (lists_.lists.empty()) return;
  crowds_.reserve(lists_.lists.size());
  for (const CrowdLists::List& list : lists_.lists)
    crowds_.push_back({list, draft.node(list.node).capacity});
  floors_.emplace(draft, outlooks, floor, &lists_);
  add_members();
}

void Crowds::add_members() {
  constexpr std::uint32_t kNone = CrowdLists::kNone;
  std::pmr::vector<std::uint32_t> member_of(draft_.size(), kNone, draft_.memory());
  parts_.reserve(lists_.claims.size());
  members_.reserve(draft_.placed_count());
  for (const Claim& claim : lists_.claims) {
    std::uint32_t& member = member_of[claim.entry];
    if (member == kNone) {
      member = static_cast<std::uint32_t>(members_.size());
      members_.push_back(crowd_member(outlooks_[claim.entry], floors_->of(claim.entry), claim.entry));
    }
    parts_.push_back({member, claim.units});
  }
}

// What they are given at S.
double Crowds::given(const Crowd& crowd, double stretch) const {
  double sum = 0;
  for (const CrowdPart& part : parts_of(crowd)) {
    const CrowdMember& job = members_[part.member];
    const double need = job.need * part.units;
    const double left = stretch * job.whole - job.late;
    sum += left <= job.rest ? need : need * std::max(job.least, job.rest / left);
  }
  return sum;
}

double Crowds::level_of(const Crowd& crowd) {
  search_.clear();
  for (const CrowdPart& part : parts_of(crowd)) search_.add(members_[part.member], part.units);
  return search_.level(real(crowd.spare));
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
    const double need = real(job.need) * claim.units;
    const double least = static_cast<double>(job.guaranteed.raw) * kMillionth;
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
