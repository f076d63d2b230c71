#include "policies/fairness/fair_share.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace aliquot::fairness {
namespace {

constexpr double kLeast = 1.0 / 64;
constexpr std::int64_t kStep = 6;

}  // namespace

// What is granted at a constant rate r grows as dU/dt = r - U ln 2 / h.
double DecayingUse::at(Instant now, Duration half_life) const {
  const double lives = to_seconds(std::max(Duration{}, now - since_)) / to_seconds(half_life);
  const double kept = std::exp2(-lives);
  const double cores = static_cast<double>(rate_.raw) / static_cast<double>(kMillion);
  return core_seconds_ * kept + cores * to_seconds(half_life) / std::numbers::ln2 * (1 - kept);
}

void DecayingUse::grant(Cpu rate, Instant now, Duration half_life) {
  if (rate == rate_) return;
  core_seconds_ = at(now, half_life);
  since_ = std::max(since_, now);
  rate_ = rate;
}

Weight weight_of(const Standing& user, double most) {
  const double due = user.entitled * most;
  if (user.used <= due) return {};
  const double part = due / user.used;
  return {std::llround(std::max(kLeast, part * part) * static_cast<double>(kMillion))};
}

bool differs(Weight in_force, Weight next) {
  const auto [least, most] = std::minmax(in_force.raw, next.raw);
  return (most - least) * kStep >= least;
}

double FairShare::used(const AccountUser& user, Instant now) const {
  const auto found = uses_.find(user);
  return found == uses_.end() ? 0 : found->second.at(now, half_life_);
}

std::vector<Standing> FairShare::standings(const std::vector<AccountUser>& active, Instant now) const {
  std::vector<Standing> all;
  const std::vector<double> entitled = tree_.entitled(active);
  for (std::size_t k = 0; k < active.size(); ++k) all.push_back({entitled[k], used(active[k], now)});
  return all;
}

std::vector<Weight> FairShare::weights(const std::vector<AccountUser>& active, Cpu cluster,
                                       Instant now) const {
  const double cores = static_cast<double>(cluster.raw) / static_cast<double>(kMillion);
  const double most = cores * to_seconds(half_life_) / std::numbers::ln2;
  std::vector<Weight> weights;
  for (const Standing& user : standings(active, now)) weights.push_back(weight_of(user, most));
  return weights;
}

}  // namespace aliquot::fairness
