// The part of the metrics that is read off the whole cluster.
#include <algorithm>
#include <array>

#include "monitor/codec_words.hpp"
#include "monitor/metrics_state.hpp"

namespace aliquot {
namespace {

// What a job is doing, as one of these; their sum is all jobs that have not ended.
constexpr std::array<const char*, 5> kJobStates{"waiting", "held", "in_flight", "running", "paused"};

std::size_t state_of(const Job& job) {
  if (job.in_flight) return 2;
  if (job.phase == Phase::running) return 3;
  if (job.held) return 1;
  return job.phase == Phase::waiting ? 0 : 4;
}

// A job that does not run has none of these.
bool of_a_running_job(std::string_view reason) {
  return reason == word(Reason::running_at_full_yield) || reason == word(Reason::sharing_cpu);
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
  const auto reason_words = words<Reason>();
  std::array<std::int64_t, kJobStates.size()> states{};
  std::vector<std::int64_t> reasons(reason_words.size());
  std::int64_t running = 0, sum = 0, least = kMillion, unexplained = 0;
  std::size_t asked = 0;
  for (const auto& [id, job] : view.jobs) {
    ++states[state_of(job)];
    if (job.phase == Phase::running) {
      ++running;
      sum += job.yield.raw;
      least = std::min(least, job.yield.raw);
    } else if (options.explain && asked < kMaxExplained) {
      ++asked;
      ++reasons[static_cast<std::size_t>(options.explain(view, id))];
    } else {
      ++unexplained;
    }
  }
  const auto set = [&](Metric metric, const char* label, std::string_view value, std::int64_t count) {
    families.gauge(metric, {{label, std::string(value)}}).Set(static_cast<double>(count));
  };
  for (std::size_t i = 0; i < states.size(); ++i) set(Metric::jobs, "state", kJobStates[i], states[i]);
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (!of_a_running_job(reason_words[i]))
      set(Metric::pending_jobs, "reason", reason_words[i], reasons[i]);
  }
  set(Metric::pending_jobs, "reason", "unexplained", unexplained);
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
