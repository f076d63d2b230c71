#include "tools/sim/bound/lower_bound.hpp"

#include <algorithm>

#include "tools/sim/bound/node_weights.hpp"
#include "tools/sim/bound/overload.hpp"
#include "tools/sim/bound/weights.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kAtOnce = 1500;  // jobs
constexpr std::int64_t kMostPerNode = 3;
constexpr std::int64_t kMostParts = 5;
constexpr int kRounds = 20;

// Differences below a part in 10^6 are not looked for.
Stretch a_little_more(Stretch stretch) {
  return {stretch.nano + std::max<std::int64_t>(1, stretch.nano / 1'000'000)};
}

std::size_t jobs_in(const BoundInstance& instance, const Certificate& certificate, Stretch stretch) {
  std::size_t count = 0;
  for (std::size_t j = 0; j < instance.jobs.size(); ++j) {
    const bool counts = certificate.weights.each[j] > 0;
    if (counts && left_for(certificate.time, instance.jobs[j], stretch) > 0) ++count;
  }
  return count;
}

class Search {
 public:
  Search(const BoundInstance& instance, LowerBound& best) : instance_(instance), best_(best) {}

  void run() {
    try_weights(cpu_weights(instance_));
    try_weights(memory_weights(instance_));
    for (std::int64_t per_node = 1; per_node <= kMostPerNode; ++per_node)
      for (std::int64_t parts = 1; parts <= kMostParts; ++parts)
        try_weights(width_weights(instance_, per_node, parts));
    // The best weights for the instants found, then the worst instants for these weights, and again.
    for (int round = 0; round < kRounds && !here_.time.empty(); ++round) {
      const Stretch before = best_.stretch;
      const JobWeights weights = node_weights(instance_, here_.time, before);
      take({weights, here_.time}, highest_proved(instance_, {weights, here_.time}, before));
      try_weights(weights);
      if (best_.stretch <= a_little_more(before)) break;
    }
  }

 private:
  void try_weights(const JobWeights& weights) {
    Stretch proved = best_.stretch;
    take(climb(instance_, weights, proved), proved);
  }

  void take(Certificate certificate, Stretch proved) {
    if (proved <= best_.stretch) return;
    here_ = std::move(certificate);
    best_ = {proved, here_.weights.name, here_.time, jobs_in(instance_, here_, proved)};
  }

  const BoundInstance& instance_;
  LowerBound& best_;
  Certificate here_;  // the best of these jobs; empty: none is better than what was known
};

}  // namespace

Certificate climb(const BoundInstance& instance, const JobWeights& weights, Stretch& known) {
  Certificate best{weights, {}};
  for (;;) {
    const auto time = overloaded_time(instance, weights, a_little_more(known));
    if (!time) return best;
    const Stretch proved = highest_proved(instance, {weights, *time}, known);
    if (proved <= known) return best;
    known = proved;
    best.time = *time;
  }
}

LowerBound lower_bound(const BoundInstance& instance) {
  LowerBound best;
  for (const BoundJob& job : instance.jobs) best.stretch = std::max(best.stretch, alone_stretch(job));
  const std::size_t all = instance.jobs.size();
  for (std::size_t from = 0; from < all; from += kAtOnce / 2) {
    const std::size_t to = std::min(all, from + kAtOnce);
    BoundInstance part{instance.classes, {}, instance.rounding};
    part.jobs.assign(instance.jobs.begin() + static_cast<std::ptrdiff_t>(from),
                     instance.jobs.begin() + static_cast<std::ptrdiff_t>(to));
    Search(part, best).run();
    if (to == all) break;
  }
  return best;
}

}  // namespace aliquot
