#include "tools/experiments/needs/wrong_needs.hpp"

#include <algorithm>
#include <cmath>

#include "tools/sim/generate/gpu_jobs.hpp"

namespace aliquot::needs {
namespace {

constexpr double kLeastPart = 0.25;
constexpr std::size_t kDriftSteps = 8;
enum Purpose : std::uint64_t { of_largest = 60, of_error, of_kind, of_phases, of_first_phase };

Cpu part_of(Cpu whole, double part) {
  return std::max(Cpu{1}, Cpu{std::llround(static_cast<double>(whole.raw) * part)});
}

// Uniform in the logarithm, from kLeastPart to 1.
double draw_part(const Chance& chance, JobId job, std::uint64_t purpose) {
  return std::pow(kLeastPart, uniform(chance, job.raw, purpose));
}

// Phases of equal length; the times are whole microseconds and increase.
TrueNeeds phases(const std::vector<Cpu>& needs, Duration run_time) {
  TrueNeeds made;
  const auto count = static_cast<std::int64_t>(needs.size());
  for (std::int64_t k = 0; k < count; ++k) {
    const Duration from{multiply_divide(run_time.raw, k, count)};
    if (made.empty() || from > made.back().from) made.push_back({from, needs[static_cast<std::size_t>(k)]});
  }
  return made;
}

TrueNeeds draw_needs(const WorkloadJob& job, const WrongNeeds& how, const Chance& chance) {
  const Cpu largest = part_of(job.submission.demand.need, draw_part(chance, job.id, of_largest));
  const double kind = uniform(chance, job.id.raw, of_kind);
  std::vector<Cpu> needs{largest};
  if (kind < how.with_phases) {
    const std::uint64_t count = 2 + chance.draw(job.id.raw, 0, of_phases) % 5;
    for (std::uint64_t k = 1; k < count; ++k)
      needs.push_back(part_of(largest, draw_part(chance, job.id, of_first_phase + k)));
    std::rotate(needs.begin(), needs.begin() + static_cast<std::ptrdiff_t>(job.id.raw % count),
                needs.end());
  } else if (kind < how.with_phases + how.drifting) {
    const double last = draw_part(chance, job.id, of_first_phase);
    for (std::size_t k = 1; k < kDriftSteps; ++k)
      needs.push_back(part_of(largest, std::pow(last, static_cast<double>(k) / (kDriftSteps - 1))));
    if (job.id.raw % 2 == 0) std::ranges::reverse(needs);
  }
  return phases(needs, job.runtime());
}

}  // namespace

Workload declare_wrongly(Workload workload, const WrongNeeds& how, Cpu node) {
  const Chance chance(how.seed);
  for (WorkloadJob& job : workload.jobs) {
    TrueNeeds needs = draw_needs(job, how, chance);
    const double drawn = uniform(chance, job.id.raw, of_error);
    const double error = std::pow(how.factor, how.only_above ? drawn : 2 * drawn - 1);
    job.submission.demand.need = std::min(node, part_of(largest_need(needs), error));
    workload.true_needs[job.id] = std::move(needs);
  }
  return workload;
}

}  // namespace aliquot::needs
