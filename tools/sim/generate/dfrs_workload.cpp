#include "tools/sim/generate/dfrs_workload.hpp"

#include <cmath>

#include "manager/hypervisor/model/chance.hpp"
#include "tools/sim/generate/lublin.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

constexpr Decimal kTenth{kPico / 10};

Decimal draw_memory(const Chance& chance, std::uint64_t job) {
  const bool small = chance.draw(job, 0, 0) % 20 < 11;  // 0.55
  return {kTenth.pico * (small ? 1 : static_cast<Int128>(2 + chance.draw(job, 1, 0) % 9))};
}

// In node-seconds and seconds: sums of whole numbers below 2^53.
double load_of(const std::vector<LublinJob>& jobs, std::uint32_t nodes) {
  double area = 0;
  for (const LublinJob& job : jobs) area += static_cast<double>(job.runtime_s) * job.nodes;
  const auto span = static_cast<double>(jobs.back().submit_s - jobs.front().submit_s);
  return span > 0 ? area / (nodes * span) : 0;
}

}  // namespace

Result<Workload> dfrs_workload(const DfrsOptions& options) {
  const std::vector<LublinJob> jobs = lublin({options.seed, options.jobs, options.nodes, false});
  double factor = 1;
  if (options.load) {
    const double load = jobs.empty() ? 0 : load_of(jobs, options.nodes);
    if (load == 0) {
      return fail(ErrorKind::invalid_argument,
                  "a workload of " + std::to_string(jobs.size()) +
                      " jobs submitted at one instant has no load to scale: ask for more jobs");
    }
    factor = load / *options.load;
  }
  const auto latest = static_cast<double>(kLatestSubmit.pico / kPico);
  if (!jobs.empty() && static_cast<double>(jobs.back().submit_s) * factor > latest) {
    return fail(ErrorKind::invalid_argument, "the last job would be submitted after " +
                                                 to_text(kLatestSubmit) +
                                                 " s: ask for a higher load or fewer jobs");
  }
  const Chance chance(options.seed);
  ClusterShape shape;
  shape.nodes = options.nodes;
  Workload workload;
  workload.jobs.reserve(jobs.size());
  for (const LublinJob& job : jobs) {
    TraceJob record;
    record.id = {job.number};
    record.submitted.raw = std::llround(static_cast<double>(job.submit_s) * factor * 1e6);
    record.tasks = job.nodes;
    record.cpu_need = Decimal{job.nodes == 1 ? kPico / 4 : kPico};
    record.memory = draw_memory(chance, job.number);
    record.runtime = seconds(job.runtime_s);
    workload.jobs.push_back(make_job(record, shape));
  }
  return workload;
}

double load_of(const Workload& workload, std::uint32_t nodes) {
  if (workload.jobs.empty()) return 0;
  double area = 0;
  for (const WorkloadJob& job : workload.jobs) {
    area += to_seconds(job.runtime()) * job.submission.demand.tasks;
  }
  const double span = to_seconds(workload.jobs.back().submitted - workload.jobs.front().submitted);
  return span > 0 ? area / (nodes * span) : 0;
}

}  // namespace aliquot
