#include "monitor/vm_usage.hpp"

#include <utility>

namespace aliquot {
namespace {

Duration more(Duration now, Duration before) { return now < before ? now : now - before; }

}  // namespace

std::vector<UsageIncrease> VmUsageSum::increase(const std::vector<VmUsage>& samples) {
  std::vector<UsageIncrease> increases;
  increases.reserve(samples.size());
  for (const VmUsage& sample : samples) {
    const Usage now{sample.cpu, sample.delay, sample.throttled};
    Seen& seen = jobs_[sample.job];
    const auto [task, is_new] = seen.tasks.try_emplace(sample.task, seen.from_birth ? Usage{} : now);
    const Usage before = std::exchange(task->second, now);
    increases.push_back({sample.job,
                         sample.node,
                         {more(now.cpu, before.cpu), more(now.delay, before.delay),
                          more(now.throttled, before.throttled)}});
  }
  return increases;
}

}  // namespace aliquot
