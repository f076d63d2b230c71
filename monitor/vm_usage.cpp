#include "monitor/vm_usage.hpp"

namespace aliquot {
namespace {

Duration more(Duration now, Duration before) { return now < before ? now : now - before; }

}  // namespace

std::map<NodeId, NodeUsage> VmUsageSum::increase(const std::vector<VmUsage>& samples) {
  std::map<NodeId, NodeUsage> nodes;
  for (const VmUsage& sample : samples) {
    const NodeUsage now{sample.cpu, sample.delay, sample.throttled};
    Seen& seen = jobs_[sample.job];
    const auto [task, is_new] = seen.tasks.try_emplace(sample.task, seen.from_birth ? NodeUsage{} : now);
    NodeUsage& before = task->second;
    NodeUsage& node = nodes[sample.node];
    node.cpu += more(now.cpu, before.cpu);
    node.delay += more(now.delay, before.delay);
    node.throttled += more(now.throttled, before.throttled);
    before = now;
  }
  return nodes;
}

}  // namespace aliquot
