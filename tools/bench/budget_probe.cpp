// Measures what tools/bench/budgets asks for of policies and algorithms (measured.hpp).
#include <string>
#include <vector>

#include "monitor/cpu_ledger.hpp"
#include "policies/evolving/fit.hpp"
#include "policies/needs/need_watch.hpp"
#include "policies/placement/solver/fast.hpp"
#include "policies/policy.hpp"
#include "policies/power/decision.hpp"
#include "policies/prediction/run_time_learner.hpp"
#include "tools/bench/esp_window.hpp"
#include "tools/bench/measured.hpp"
#include "tools/bench/steady_view.hpp"
#include "tools/sim/decide/draws.hpp"
#include "tools/sim/decide/view_maker.hpp"

namespace aliquot {
namespace {

using bench::Measured;

void add_decision(Measured& measured, const char* policy_name, std::uint32_t nodes, std::uint32_t jobs,
                  bool steady) {
  const auto policy = *make_policy(policy_name);
  constexpr int kTurns = 15;  // the search of rule 3 is not due in the last of them
  ClusterView view = steady ? make_steady_view(nodes, jobs, Sizes::paper, 1, *policy, kTurns)
                            : make_view(nodes, jobs, Sizes::paper, 1);
  view.index.rebuild(view);
  const std::string size = std::to_string(nodes) + "x" + std::to_string(jobs);
  measured.add(std::string(policy_name) + (steady ? " steady " : " busy ") + size,
               [&] { (void)policy->decide(view); });
}

void add_placement_window(Measured& measured) {
  std::vector<ip::Instance> windows;
  for (int k = 0; k < 10; ++k) {
    bench::EspShape shape;
    shape.busy = 10 * k;
    windows.push_back(bench::esp_window(static_cast<std::uint64_t>(k), shape));
  }
  measured.add("ten placement windows", [&] {
    for (const ip::Instance& window : windows) (void)ip::solve_fast(window);
  });
}

// As in the paper's test cases, for ten times as many nodes (tools/experiments/evolving/test_case.hpp).
evolving::EvolutionProfile random_profile(Draws& draws, std::int64_t steps) {
  std::vector<evolving::ProfileStep> made;
  for (std::int64_t i = 0; i < steps; ++i)
    made.push_back({seconds(draws.between(500, 3'600)), draws.between(1, 750)});
  return evolving::EvolutionProfile::of(std::move(made)).value();
}

void add_evolving_fit(Measured& measured) {
  Draws draws(1);
  evolving::ResourceProfile resources(1'000);
  while (resources.segments() < 10'000) {
    const auto application = random_profile(draws, draws.between(1, 10));
    resources.occupy(evolving::fit(application, resources, {}, Instant{0}).value());
  }
  const auto request = random_profile(draws, 100);
  const evolving::FitRule rule{evolving::ExpandLimit::times(2), true};
  measured.add("fit of 100 steps, 10,000 segments",
               [&] { (void)evolving::fit(request, resources, rule, Instant{0}).value(); });
}

// Nodes of 16 cores, half of which hold jobs; the others are idle. The jobs that wait ask for 1 to 8 nodes
// each; or for a device that no node has, and so can never be placed: then no node is theirs, and the rule
// looks at all of them, with all nodes.
ClusterView idle_nodes_and_waiting_jobs(std::uint32_t nodes, std::uint32_t waiting, bool can_be_placed) {
  ClusterView view;
  view.now = Instant{} + seconds(3'600);
  for (std::uint32_t n = 0; n < nodes; ++n)
    view.nodes.push_back({{n}, "n" + std::to_string(n), cores(16), mebibytes(64 << 10), NodeState::up, 16});
  for (std::uint32_t id = 1; id <= waiting + nodes / 2; ++id) {
    Job job;
    job.id = {id};
    job.demand.need = cores(16);
    job.demand.memory = mebibytes(32 << 10);
    if (id <= nodes / 2) {
      job.phase = Phase::running;
      job.yield = kFullYield;
      job.placement = {{{id - 1}, 1}};
    } else {
      job.demand.tasks = 1 + id % 8;
      job.demand.devices.per_node = can_be_placed ? 0 : 1;
    }
    view.jobs[job.id] = job;
  }
  view.index.rebuild(view);
  return view;
}

// What every event costs beside the decision about jobs.
void add_power_rule(Measured& measured, bool can_be_placed, const std::string& name) {
  const ClusterView view = idle_nodes_and_waiting_jobs(1'000, 10'000, can_be_placed);
  power::PowerMemory memory;
  measured.add(name, [&] {
    power::observe(memory, view);
    (void)power::decide_power(view, power::PowerSettings{}, memory);
  });
}

// A full history, asked about jobs of which it knows every class, or few, or none but the coarsest.
void add_predictions(Measured& measured) {
  Draws draws(1);
  const auto traits = [&draws](std::int64_t users) {
    const auto user = static_cast<std::uint32_t>(draws.between(1, users));
    return prediction::RunTraits{"account", user, "application",
                                 static_cast<std::uint32_t>(draws.between(1, 8)),
                                 seconds(3'600 * draws.between(1, 4))};
  };
  prediction::RunTimeHistory history(prediction::kUsualClasses);
  for (int k = 0; k < 50'000; ++k) history.learn(traits(500), seconds(draws.between(1, 3'600)));
  std::vector<prediction::RunTraits> asked;
  for (int k = 0; k < 1'000; ++k) asked.push_back(traits(2'000));
  measured.add("1,000 predictions of run times", [&] {
    for (const prediction::RunTraits& job : asked) (void)history.predict(job, seconds(60));
  });
}

// Jobs of one VM each, whose use comes and goes so that needs are lowered, raised and probed.
void add_need_watches(Measured& measured) {
  constexpr int kVms = 100;
  struct Watched {
    needs::NeedWatch watch;
    Cpu need;
  };
  std::vector<Watched> jobs(
      kVms, {needs::NeedWatch({needs::NeedMode::learned_up, cores(1), {}, cores(2)}), cores(1)});
  Draws draws(1);
  Instant now{1};
  measured.add("a second of 100 VMs, their needs", [&] {
    for (Watched& job : jobs) {
      const Cpu wanted{draws.between(1, 20) == 1 ? 2'000'000 : draws.between(200'000, 300'000)};
      const Duration held = wanted > job.need ? Duration{500'000} : Duration{};
      job.watch.observe({0, now, now + seconds(1), std::min(wanted, job.need), job.need, held, held, 2});
      if (const auto change = job.watch.decide(job.need, kFullYield, now + seconds(1)))
        job.need = change->need;
    }
    now = now + seconds(1);
  });
}

// Their counters, and what their guests say of their memory, as they come from the nodes.
void add_readings(Measured& measured) {
  constexpr std::uint64_t kVms = 100;
  CpuLedger ledger;
  std::vector<VmUsage> readings;
  Instant now{1};
  for (std::uint64_t id = 1; id <= kVms; ++id) {
    ledger.shares({id}, {cores(1), {{{id}, 0, NodeId{0}, cores(1), cores(1)}}}, now);
    readings.push_back({{id}, 0, 1, 1, NodeId{0}, 2, kNothingUsed, GuestMemory{mebibytes(96), {}, 0}});
  }
  measured.add("a second of 100 VMs, their readings", [&] {
    now = now + seconds(1);
    for (VmUsage& reading : readings) {
      reading.used.cpu += Duration{600'000};
      reading.memory =
          GuestMemory{mebibytes(96), mebibytes(30 + now.raw / kMillion % 40), now.raw / kMillion};
    }
    (void)ledger.read(readings, now);
    (void)ledger.memory();
  });
}

}  // namespace
}  // namespace aliquot

int main() {
  using namespace aliquot;
  Measured measured;
  add_decision(measured, "DYNMCB8", 128, 100, false);
  add_decision(measured, "DYNMCB8", 10'000, 10'000, false);
  add_decision(measured, "ALIQUOT", 128, 100, true);
  add_decision(measured, "ALIQUOT", 128, 100, false);
  add_decision(measured, "ALIQUOT", 10'000, 10'000, true);
  add_decision(measured, "ALIQUOT", 10'000, 10'000, false);
  add_placement_window(measured);
  add_evolving_fit(measured);
  add_power_rule(measured, true, "power rule, 10,000 jobs wait");
  add_power_rule(measured, false, "power rule, 10,000 unplaceable jobs");
  add_predictions(measured);
  add_need_watches(measured);
  add_readings(measured);
  bench::print(measured);
}
