#include "tools/experiments/campaign/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace aliquot {
namespace {

using ByPolicy = std::map<std::string, double>;

Paired compare(const std::map<TrialKey, ByPolicy>& instances, const std::string& a, const std::string& b) {
  Paired pair;
  pair.a = a;
  pair.b = b;
  Groups logarithms;
  for (const auto& [key, stretches] : instances) {
    const auto of_a = stretches.find(a);
    const auto of_b = stretches.find(b);
    if (of_a == stretches.end() || of_b == stretches.end()) continue;
    ++pair.instances;
    pair.a_better += of_a->second < of_b->second;
    pair.b_better += of_b->second < of_a->second;
    logarithms[key.workload + " " + key.seed].push_back(std::log(of_a->second / of_b->second));
  }
  const Sample sample = clustered(logarithms);
  pair.ratio = std::exp(sample.mean);
  pair.low = std::exp(sample.low());
  pair.high = std::exp(sample.high());
  return pair;
}

}  // namespace

double student(std::size_t degrees_of_freedom) {
  static constexpr std::array<double, 30> kExact = {
      12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281,
      2.2010,  2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860,
      2.0796,  2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
  if (degrees_of_freedom == 0) return 0;
  if (degrees_of_freedom <= kExact.size()) return kExact[degrees_of_freedom - 1];
  // The normal quantile and two terms of its expansion (Abramowitz and Stegun, 26.7.5).
  const double z = 1.959964;
  const auto n = static_cast<double>(degrees_of_freedom);
  return z + (std::pow(z, 3) + z) / (4 * n) +
         (5 * std::pow(z, 5) + 16 * std::pow(z, 3) + 3 * z) / (96 * n * n);
}

Sample sample_of(const std::vector<double>& values) {
  Sample sample;
  sample.count = values.size();
  if (values.empty()) return sample;
  const auto n = static_cast<double>(values.size());
  sample.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  const auto [least, most] = std::ranges::minmax(values);
  sample.least = least;
  sample.most = most;
  if (values.size() == 1) return sample;
  double squares = 0;
  for (const double value : values) squares += (value - sample.mean) * (value - sample.mean);
  sample.deviation = std::sqrt(squares / (n - 1));
  sample.half_width = student(values.size() - 1) * sample.deviation / std::sqrt(n);
  return sample;
}

Sample clustered(const Groups& groups) {
  std::vector<double> all;
  std::vector<double> means;
  for (const auto& [name, values] : groups) {
    all.insert(all.end(), values.begin(), values.end());
    means.push_back(sample_of(values).mean);
  }
  Sample sample = sample_of(all);
  sample.half_width = sample_of(means).half_width;
  return sample;
}

std::vector<Paired> paired(const std::vector<Trial>& trials, const std::vector<std::string>& policies) {
  std::map<TrialKey, ByPolicy> instances;
  for (const Trial& trial : trials) {
    TrialKey instance = trial.key;
    instance.policy.clear();
    instances[instance][trial.key.policy] = trial[Figure::max_bounded_stretch];
  }
  std::vector<Paired> pairs;
  for (std::size_t i = 0; i < policies.size(); ++i)
    for (std::size_t j = i + 1; j < policies.size(); ++j)
      if (auto pair = compare(instances, policies[i], policies[j]); pair.instances > 0)
        pairs.push_back(std::move(pair));
  return pairs;
}

RatedTrials rate(const std::vector<Trial>& trials, const std::vector<std::string>& compared) {
  struct Best {
    double stretch = std::numeric_limits<double>::infinity();
    std::size_t seen = 0;
  };
  const auto instance_of = [](TrialKey key) {
    key.policy.clear();
    return key;
  };
  std::map<TrialKey, Best> best;
  for (const Trial& trial : trials) {
    if (std::ranges::find(compared, trial.key.policy) == compared.end()) continue;
    Best& here = best[instance_of(trial.key)];
    here.stretch = std::min(here.stretch, trial[Figure::max_bounded_stretch]);
    ++here.seen;
  }
  RatedTrials rated;
  for (const Trial& trial : trials) {
    const auto found = best.find(instance_of(trial.key));
    if (found == best.end() || found->second.seen != compared.size())
      ++rated.left_out;
    else
      rated.trials.push_back({trial, trial[Figure::max_bounded_stretch] / found->second.stretch});
  }
  return rated;
}

}  // namespace aliquot
