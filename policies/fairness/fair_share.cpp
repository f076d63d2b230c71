#include "policies/fairness/fair_share.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace aliquot::fairness {
namespace {

constexpr double kLeastForUse = 1.0 / 64;
constexpr double kMoreThanOthers = 8, kLeastForJobs = 1.0 / 1000;
constexpr std::int64_t kStep = 6;

// The part of the whole whose use is left alone: twice what it is entitled to, and no more than half of the
// way from there to the whole, so that of two users either can be too much.
double part_left_alone(double entitled) { return std::min(2 * entitled, (1 + entitled) / 2); }

// Of what is had, as much as is left alone: squared, and 1 at most.
double law(double left_alone, double had, double least) {
  if (had <= left_alone) return 1;
  const double part = left_alone / had;
  return std::max(least, part * part);
}

double kept_after(Duration passed, Duration half_life) {
  return std::exp2(-to_seconds(std::max(Duration{}, passed)) / to_seconds(half_life));
}

}  // namespace

// What is granted at a constant rate r grows as dU/dt = r - U ln 2 / h.
double DecayingUse::at(Instant now, Duration half_life) const {
  const double kept = kept_after(now - since_, half_life);
  const double cores = static_cast<double>(rate_.raw) / static_cast<double>(kMillion);
  return core_seconds_ * kept + cores * to_seconds(half_life) / std::numbers::ln2 * (1 - kept);
}

void DecayingUse::grant(Cpu rate, Instant now, Duration half_life) {
  if (rate == rate_) return;
  core_seconds_ = at(now, half_life);
  since_ = std::max(since_, now);
  rate_ = rate;
}

double DecayingCount::at(Instant now, Duration half_life) const {
  return count_ * kept_after(now - since_, half_life);
}

void DecayingCount::add_one(Instant now, Duration half_life) {
  count_ = at(now, half_life) + 1;
  since_ = std::max(since_, now);
}

Weight weight_of(const Standing& user, const Whole& whole) {
  if (whole.users <= 1) return {};
  const auto users = static_cast<double>(whole.users);
  const double of_average = std::max(1.0, user.entitled * users);
  const double of_others = (whole.jobs - user.jobs) / (users - 1);
  const double few = (of_others + kMoreThanOthers) * of_average;
  const double by_use = law(part_left_alone(user.entitled) * whole.most, user.used, kLeastForUse);
  const double by_jobs = law(few, user.jobs, kLeastForJobs);
  return {std::llround(std::min(by_use, by_jobs) * static_cast<double>(kMillion))};
}

bool differs(Weight in_force, Weight next) {
  const auto [least, most] = std::minmax(in_force.raw, next.raw);
  return (most - least) * kStep >= least;
}

double FairShare::used(const AccountUser& user, Instant now) const {
  const auto found = uses_.find(user);
  return found == uses_.end() ? 0 : found->second.at(now, half_life_);
}

double FairShare::ended(const AccountUser& user, Instant now) const {
  const auto found = ended_.find(user);
  return found == ended_.end() ? 0 : found->second.at(now, half_life_);
}

std::vector<Standing> FairShare::standings(const std::vector<ActiveUser>& active, Instant now) const {
  std::vector<AccountUser> users;
  for (const ActiveUser& each : active) users.push_back(each.user);
  const std::vector<double> entitled = tree_.entitled(users);
  std::vector<Standing> all;
  for (std::size_t k = 0; k < active.size(); ++k)
    all.push_back(
        {entitled[k], used(users[k], now), static_cast<double>(active[k].jobs) + ended(users[k], now)});
  return all;
}

std::vector<Weight> FairShare::weights(const std::vector<ActiveUser>& active, Cpu cluster,
                                       Instant now) const {
  const double cores = static_cast<double>(cluster.raw) / static_cast<double>(kMillion);
  const std::vector<Standing> all = standings(active, now);
  Whole whole{cores * to_seconds(half_life_) / std::numbers::ln2, active.size(), 0};
  for (const Standing& user : all) whole.jobs += user.jobs;
  std::vector<Weight> weights;
  for (const Standing& user : all) weights.push_back(weight_of(user, whole));
  return weights;
}

}  // namespace aliquot::fairness
