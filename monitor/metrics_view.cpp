// The part of the metrics that is read off the whole cluster.
#include <algorithm>

#include "monitor/codec_words.hpp"
#include "monitor/metrics_state.hpp"

namespace aliquot {
namespace {

// What a job is doing, as one of these; their sum is all jobs that have not ended.
constexpr const char* kJobStates[] = {"waiting", "held", "in_flight", "running", "paused"};

const char* state_of(const Job& job) {
  if (job.in_flight) return "in_flight";
  if (job.phase == Phase::running) return "running";
  if (job.held) return "held";
  return job.phase == Phase::waiting ? "waiting" : "paused";
}

struct Given {
  Cpu cpu;
  Memory memory;
};

std::vector<Given> given_by_node(const ClusterView& view) {
  std::vector<Given> given(view.nodes.size());
  for (const auto& [id, job] : view.jobs) {
    for (const Share& share : job.placement) {
      if (share.node.raw >= given.size()) continue;
      given[share.node.raw].cpu += job.demand.need * job.yield * share.units;
      given[share.node.raw].memory += job.demand.memory * share.units;
    }
  }
  return given;
}

}  // namespace

void Metrics::refresh(const ClusterView& view) {
  state_->refreshed = view.now;
  state_->read_jobs(view);
  state_->read_nodes(view);
}

void Metrics::State::read_jobs(const ClusterView& view) {
  std::map<std::string, double> states, reasons;
  for (const char* name : kJobStates) states[name] = 0;
  for (const auto reason : words<Reason>()) {
    if (reason != word(Reason::running_at_full_yield) && reason != word(Reason::sharing_cpu)) {
      reasons[std::string(reason)] = 0;
    }
  }
  reasons["unexplained"] = 0;
  std::int64_t running = 0, sum = 0, least = kMillion;
  std::size_t asked = 0;
  for (const auto& [id, job] : view.jobs) {
    ++states[state_of(job)];
    if (job.phase == Phase::running) {
      ++running;
      sum += job.yield.raw;
      least = std::min(least, job.yield.raw);
    } else if (options.explain && asked < kMaxExplained) {
      ++asked;
      ++reasons[std::string(word(options.explain(view, id)))];
    } else {
      ++reasons["unexplained"];
    }
  }
  for (const auto& [name, count] : states) families.gauge(Metric::jobs, {{"state", name}}).Set(count);
  for (const auto& [name, count] : reasons)
    families.gauge(Metric::pending_jobs, {{"reason", name}}).Set(count);
  const auto million = static_cast<double>(kMillion);
  const double mean = running == 0 ? 1 : static_cast<double>(sum) / static_cast<double>(running) / million;
  families.gauge(Metric::yield_min).Set(static_cast<double>(least) / million);
  families.gauge(Metric::yield_avg).Set(mean);
}

void Metrics::State::read_nodes(const ClusterView& view) {
  const auto given = given_by_node(view);
  for (const Node& node : view.nodes) {
    const MetricFamilies::Labels label{{"node", node.name}};
    const auto capacity = static_cast<double>(node.capacity.raw);
    const auto cpu = static_cast<double>(given[node.id.raw].cpu.raw);
    families.gauge(Metric::node_up, label).Set(node.usable() ? 1 : 0);
    families.gauge(Metric::node_cpu_allocated, label).Set(capacity > 0 ? cpu / capacity : 0);
    families.gauge(Metric::node_cpu_capacity, label).Set(capacity / static_cast<double>(kMillion));
    families.gauge(Metric::node_memory_allocated, label)
        .Set(static_cast<double>(given[node.id.raw].memory.raw));
    families.gauge(Metric::node_memory_capacity, label).Set(static_cast<double>(node.memory.raw));
    families.counter(Metric::vm_cpu, label);
    families.counter(Metric::vm_cpu_delay, label);
    families.counter(Metric::vm_cpu_throttled, label);
  }
}

}  // namespace aliquot
