// Journals to be decided anew: whole runs of stormy worlds, with users who cancel and operators who change
// the policy.
#pragma once

#include <fstream>
#include <functional>

#include "manager/store/state_codec.hpp"
#include "monitor/codec_step.hpp"
#include "test/faults/scenario.hpp"
#include "test/unit/manager/store/fixture.hpp"
#include "tools/replay/replay.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot::test {

struct Recorded {
  CoreState begin;
  std::vector<Step> steps;
  CoreState midway;       // after `midway.steps` steps
  std::string complaint;  // empty: the run came to its end
};

class StepsKept : public Observer {
 public:
  explicit StepsKept(std::vector<Step>& steps) : steps_(steps) {}
  void on_step(const Step& step, const ClusterView& /*after*/) override { steps_.push_back(step); }

 private:
  std::vector<Step>& steps_;
};

// The run of a fault scenario, by seed. `midway_at`: after which step the state is kept.
inline Recorded record_fault_run(std::uint64_t seed, const std::string& policy,
                                 std::uint64_t midway_at = 0) {
  const Scenario world = draw_scenario(seed);
  Recorded recorded;
  StepsKept kept(recorded.steps);
  Simulation simulation(world.workload, world.shape, world.model, std::move(*make_policy(policy)), kept);
  recorded.begin = simulation.scheduler().cluster().state();
  auto cancels = world.cancels;
  simulation.set_meddler([&](const Step& step, const Cluster& cluster) {
    std::vector<Event> events;
    std::erase_if(cancels, [&](const auto& cancel) {
      if (cancel.second > step.now || !cluster.record(cancel.first)) return false;
      events.emplace_back(Cancelled{cancel.first, JobResult::cancelled, "enough"});
      return true;
    });
    for (const auto& [id, job] : cluster.view().jobs) {
      const JobRecord& record = *cluster.record(id);
      const bool is_held = record.array ? record.array->held : job.held;  // an array is held for ever
      if (is_held && !record.deferral.any()) events.emplace_back(HoldChanged{id, false});
    }
    if (step.number == 50) events.emplace_back(PolicyChanged{"DYNMCB8-ASAP-PER-60"});
    if (step.number == midway_at) recorded.midway = cluster.state();
    return events;
  });
  if (const auto done = simulation.run(); !done) recorded.complaint = done.error().message;
  return recorded;
}

inline void write_journal(const std::string& path, const std::optional<CoreState>& begin,
                          const std::vector<Step>& steps) {
  std::ofstream file(path, std::ios::binary);
  if (begin) file << R"({"snapshot":)" << encode_state(*begin) << "}\n";
  for (const Step& step : steps) file << encode_step(step) << "\n";
}

}  // namespace aliquot::test
