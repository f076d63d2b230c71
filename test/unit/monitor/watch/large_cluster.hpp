// The largest cluster that is promised: 10,000 jobs of 200 accounts on 500 nodes.
#pragma once

#include <string>
#include <vector>

#include "monitor/metrics.hpp"
#include "test/unit/monitor/watch/small_cluster.hpp"

namespace aliquot::test {

inline constexpr std::uint32_t kManyNodes = 500;
inline constexpr std::uint64_t kManyJobs = 10'000;
inline constexpr std::uint64_t kManyAccounts = 200;

inline ClusterView large_cluster() {
  ClusterView view;
  for (std::uint32_t i = 0; i < kManyNodes; ++i)
    view.nodes.push_back({{i}, "node" + std::to_string(i), cores(16), mebibytes(65536), NodeState::up, 16});
  for (std::uint64_t id = 1; id <= kManyJobs; ++id) {
    const NodeId node{static_cast<std::uint32_t>(id % kManyNodes)};
    const bool runs = id % 4 != 0;
    view.jobs[{id}] = runs ? job(id, Phase::running, {500'000}, {{node, 1}}) : job(id, Phase::waiting);
  }
  return view;
}

inline MetricsOptions large_options() {
  MetricsOptions options{"1.2", "abc", "9.0", [](const ClusterView&, JobId) { return Reason::memory; },
                         [] { return 1234.5; }};
  options.account = [](JobId id) -> std::optional<std::string_view> {
    static const std::vector<std::string> names = [] {
      std::vector<std::string> made;
      for (std::uint64_t i = 0; i < kManyAccounts; ++i) made.push_back("account" + std::to_string(i));
      return made;
    }();
    return names[id.raw % kManyAccounts];
  };
  options.caps = [] {
    std::vector<VmCap> caps;
    for (std::uint64_t id = 1; id <= kManyJobs; ++id)
      caps.push_back({{id}, 0, {static_cast<std::uint32_t>(id % kManyNodes)}, {500'000}, {500'000}});
    return caps;
  };
  return options;
}

// Everything that can have a series of its own gets it.
inline void show_large_cluster(Metrics& metrics) {
  const ClusterView view = large_cluster();
  metrics.policy_in_force("DYNMCB8-ASAP-PER-600+match", seconds(600));
  for (std::uint64_t i = 1; i <= 200; ++i) {
    Step step;
    step.number = i;
    step.events = {submitted(i), Tick{}};
    step.decision = decision("DYNMCB8-ASAP-PER-600+match", true, i % 2, 1000);
    step.actions = {create(i, i, 2)};
    step.ended = {
        ended(100'000 + i, static_cast<JobResult>(i % 4), static_cast<std::uint32_t>(i % 50 + 1))};
    metrics.on_step(step, view);
    metrics.request_answered("submit", i % 2 == 0 ? "ok" : "quota", Duration{1000});
  }
  for (const Node& node : view.nodes)
    for (const char* call : {"cap", "save", "statistics"})
      metrics.libvirt_called(node.name, call, Duration{1000}, node.id.raw % 2 == 0 ? "" : "timeout");
  std::vector<UsageIncrease> used;
  for (std::uint64_t id = 1; id <= kManyJobs; ++id)
    used.push_back({{id},
                    {static_cast<std::uint32_t>(id % kManyNodes)},
                    {seconds(9), seconds(1), seconds(1)},
                    seconds(9),
                    true});
  metrics.vm_used(used, view);
}

}  // namespace aliquot::test
