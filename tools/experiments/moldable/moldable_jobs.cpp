#include "tools/experiments/moldable/moldable_jobs.hpp"

#include <algorithm>
#include <cmath>

#include "tools/sim/generate/gpu_jobs.hpp"

namespace aliquot::moldable {
namespace {

constexpr double kLeastParallelism = 0.5;  // of the submitted number
constexpr double kMostParallelism = 4;
constexpr double kMostVariance = 2;
enum Purpose : std::uint64_t { of_parallelism = 30, of_variance = 31 };

Millionths millionths(double value) { return {std::llround(value * static_cast<double>(kMillion))}; }

Result<SpeedupModel> draw_model(const WorkloadJob& job, const Chance& chance) {
  const double at = uniform(chance, job.id.raw, of_parallelism);
  const double factor = kLeastParallelism * std::pow(kMostParallelism / kLeastParallelism, at);
  const double parallelism = std::max(1.0, factor * job.submission.demand.tasks);
  const double variance = kMostVariance * uniform(chance, job.id.raw, of_variance);
  return SpeedupModel::downey(millionths(parallelism), millionths(variance));
}

}  // namespace

Result<MoldableJob> moldable_job(const WorkloadJob& job, std::uint32_t nodes, const Chance& chance) {
  const Demand& demand = job.submission.demand;
  Result<SpeedupModel> model = SpeedupModel::perfect();
  if (demand.tasks > 1) model = draw_model(job, chance);
  if (!model) return tl::unexpected(model.error());
  const TaskRange range{1, std::max(demand.tasks, demand.tasks > 1 ? model->saturation(nodes) : 1)};
  auto offer = MoldableOffer::of(range, *std::move(model), demand.need, demand.memory);
  if (!offer) return tl::unexpected(offer.error());
  return MoldableJob{*std::move(offer), demand.tasks, job.runtime()};
}

}  // namespace aliquot::moldable
