// aliquot-faults: random workloads and faults on the real core. A failure prints how to run it again.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "manager/core/drain.hpp"
#include "policies/model/hypervisor_kind.hpp"
#include "test/faults/deaths.hpp"
#include "test/faults/invariants.hpp"
#include "test/support/policy_specs.hpp"

namespace aliquot {
namespace {

struct Verdict {
  std::vector<std::string> broken;
  std::uint64_t fingerprint = 0;
};

// Cancels the jobs that the scenario names, changes the needs, the memory and the numbers of tasks of
// others (some are announced by their guests, and read a second time), releases every job that the manager
// holds after failures, sets limits of accounts, switches nodes off that have not answered for long and
// confirms them down, and takes them back when they answer again. Plans maintenance and empties the nodes
// that are drained.
class Operator {
 public:
  Operator(const Scenario& scenario, Simulation& simulation)
      : left_(scenario.cancels),
        needs_(scenario.needs),
        memory_used_(scenario.memory_used),
        memory_kept_ppm_(scenario.model.memory_kept_ppm),
        sizes_(scenario.sizes),
        accounts_(scenario.accounts),
        windows_(scenario.windows),
        announced_(scenario.announced),
        fence_after_(scenario.fence_after),
        simulation_(simulation) {}

  std::vector<Event> operator()(const Step& step, const Cluster& cluster) {
    std::vector<Event> events;
    std::erase_if(left_, [&](const auto& cancel) {
      if (cancel.second > step.now || !cluster.record(cancel.first)) return false;
      events.emplace_back(Cancelled{cancel.first, JobResult::cancelled, "by its user"});
      return true;
    });
    for (const auto& [id, job] : cluster.view().jobs) {
      const JobRecord& record = *cluster.record(id);
      const bool is_held = record.array ? record.array->held : job.held;
      if ((is_held && !record.deferral.any()) || record.deferral.held)
        events.emplace_back(HoldChanged{id, false});
    }
    for (; !accounts_.empty() && accounts_.begin()->first <= step.now; accounts_.erase(accounts_.begin()))
      events.emplace_back(AccountsChanged{accounts_.begin()->second});
    change_needs(step.now, cluster, events);
    change_memory(step.now, cluster, events);
    change_sizes(step.now, cluster, events);
    for (const Node& node : cluster.view().nodes) look_after(node, step.now, cluster.state(), events);
    plan_maintenance(events);
    drain(step.now, cluster.state(), events);
    return events;
  }

 private:
  // Whether the nodes that it is bound to, all empty, could give all its tasks what they ask for: else it
  // would wait for ever under a policy that gives no less.
  static bool can_be_held(const Cluster& cluster, JobId id, std::optional<Cpu> need, std::uint32_t tasks) {
    const auto job = cluster.view().jobs.find(id);
    if (job == cluster.view().jobs.end()) return true;
    const Demand& demand = job->second.demand;
    const Memory memory = declared_memory(cluster.record(id)->submission);
    const Cpu full = need.value_or(demand.need);
    const auto kind = bound_kind(cluster.view(), job->second);
    std::int64_t held = 0;
    for (const Node& node : cluster.view().nodes)
      if (!kind || node.hypervisor == *kind)
        held += std::min(node.memory.raw / memory.raw, node.capacity.raw / full.raw);
    return held >= std::max(demand.tasks, tasks);
  }

  void change_needs(Instant now, const Cluster& cluster, std::vector<Event>& events) {
    for (auto& [id, changes] : needs_) {
      if (changes.empty() || changes.begin()->first > now) continue;
      const LaterNeed later = changes.extract(changes.begin()).mapped();
      if (!can_be_held(cluster, id, later.need, 0)) continue;
      if (later.is_learned)
        events.emplace_back(NeedLearned{id, later.need, later.need, 50, "watched"});
      else
        events.emplace_back(NeedChanged{id, later.need, "its user"});
    }
  }

  // A job is counted with what it uses while it runs, and with the part that is kept at least.
  void change_memory(Instant now, const Cluster& cluster, std::vector<Event>& events) {
    for (auto& [id, changes] : memory_used_) {
      if (changes.empty() || changes.begin()->first > now) continue;
      const std::int64_t hundredths = changes.extract(changes.begin()).mapped();
      const JobRecord* const record = cluster.record(id);
      if (!record || record->vms.front().state != VmState::running) continue;
      const Memory declared = declared_memory(record->submission);
      const Memory used{multiply_divide(declared.raw, hundredths, 100)};
      const Memory kept{(multiply_divide(declared.raw, memory_kept_ppm_, kMillion) + 1)};
      events.emplace_back(MemoryLearned{id, std::max(used, kept), used, "watched"});
    }
  }

  void change_sizes(Instant now, const Cluster& cluster, std::vector<Event>& events) {
    for (TasksChanged& again : std::exchange(read_again_, {})) events.emplace_back(std::move(again));
    for (auto& [id, changes] : sizes_) {
      if (changes.empty() || changes.begin()->first > now) continue;
      const SizeChange change = changes.extract(changes.begin()).mapped();
      if (!can_be_held(cluster, id, std::nullopt, change.tasks)) continue;
      TasksChanged said{id, change.tasks, now + change.in, "its user"};
      const JobRecord* const record = change.by_guest ? cluster.record(id) : nullptr;
      if (record && record->vms.front().state == VmState::running) {
        said.guest = GuestAnnouncement{0, record->vms.front().incarnation, ++said_[id]};
        read_again_.push_back(said);
        read_again_.back().tasks = kHeardBefore;
      }
      events.emplace_back(std::move(said));
    }
  }

  void look_after(const Node& node, Instant now, const CoreState& state, std::vector<Event>& events) {
    const auto known = state.node_records.find(node.id);
    if (node.power != NodePower::on) return;  // its silence is meant
    if (!fence_after_ || node.answers() || known == state.node_records.end()) return;
    const NodeRecord& record = known->second;
    if (node.state == NodeState::fenced) {
      if (!record.returning) return;
      NodeChanged back{node.id, NodeState::up, "nothing is left on it"};
      back.cleared = true;
      events.emplace_back(std::move(back));
    } else if (now - record.since >= *fence_after_) {
      simulation_.power_off(node.id);
      events.emplace_back(NodeFenced{node.id, "its operator", ""});
    }
  }

  void plan_maintenance(std::vector<Event>& events) {
    for (MaintenanceWindow& window : std::exchange(windows_, {}))
      events.emplace_back(WindowChanged{std::move(window), WindowStage::planned, ""});
    for (const auto& [node, drain] : std::exchange(announced_, {}))
      events.emplace_back(DrainAnnounced{node, drain});
  }

  // Takes jobs off the nodes that are drained, one at a time, and puts those of operators back at last.
  void drain(Instant now, const CoreState& state, std::vector<Event>& events) {
    for (const auto& [node, record] : state.node_records) {
      if (!record.drain || !state.view.nodes[node.raw].answers()) continue;
      if (record.drain->window.empty() && record.drain->deadline <= now) {
        events.emplace_back(ServiceChanged{node, NodeService::in_service, {}});
        continue;
      }
      const std::vector<DrainStep> steps =
          drain_steps(state.view, simulation_.scheduler().policy(), node, *record.drain, now, 1);
      const auto leaves = [](const DrainStep& step) {
        return step.turn != DrainTurn::wait && step.turn != DrainTurn::stay;
      };
      if (const auto first = std::ranges::find_if(steps, leaves); first != steps.end())
        events.emplace_back(Displaced{first->job, first->turn == DrainTurn::rerun, "its node is drained"});
    }
  }

  std::map<JobId, Instant> left_;
  std::map<JobId, std::map<Instant, LaterNeed>> needs_;
  std::map<JobId, std::map<Instant, std::int64_t>> memory_used_;
  std::int64_t memory_kept_ppm_;
  std::map<JobId, std::map<Instant, SizeChange>> sizes_;
  std::map<Instant, std::vector<AccountTerms>> accounts_;
  std::vector<MaintenanceWindow> windows_;
  std::map<NodeId, Drain> announced_;
  std::map<JobId, std::uint32_t> said_;   // announcements of its guest
  std::vector<TasksChanged> read_again_;  // for the next step
  std::optional<Duration> fence_after_;
  Simulation& simulation_;
};

Verdict run(std::uint64_t seed, const std::string& policy, std::ostream* journal = nullptr) {
  const Scenario scenario = draw_scenario(seed);
  auto made = make_policy(policy);
  if (!made) return {{made.error().message}, 0};
  Invariants invariants(scenario, journal);
  Simulation simulation(scenario.workload, scenario.shape, scenario.model, std::move(*made), invariants);
  if (scenario.power) simulation.set_power(*scenario.power);
  if (scenario.moves != MoveTerms{}) simulation.set_terms(MoveTermsChanged{scenario.moves});
  if (scenario.half_life) simulation.set_fair_share(*scenario.half_life);
  simulation.set_meddler(
      [&, op = Operator(scenario, simulation)](const Step& step, const Cluster& cluster) mutable {
        invariants.check_actions(step, cluster);
        invariants.check_kinds(step, cluster);
        invariants.check_windows(step, cluster, simulation.scheduler().policy().shares_cpu());
        invariants.check_moves(step, cluster);
        invariants.check_incremental(cluster);
        return op(step, cluster);
      });
  Deaths deaths(seed, scenario.deaths, policy);
  simulation.set_killer([&](const Step& step, const Cluster& cluster) {
    auto death = deaths.after(step, cluster);
    if (death) invariants.manager_died();
    return death;
  });
  const auto done = simulation.run();
  Verdict verdict;
  if (!done) verdict.broken.push_back(done.error().message);
  verdict.broken.insert(verdict.broken.end(), deaths.broken().begin(), deaths.broken().end());
  invariants.at_the_end(simulation.hypervisor());
  verdict.broken.insert(verdict.broken.end(), invariants.broken().begin(), invariants.broken().end());
  verdict.fingerprint = invariants.fingerprint();
  return verdict;
}

// With a short period, so that a run has many decisions.
std::vector<std::string> all_policies() { return test::policy_specs("600"); }

bool passes(std::uint64_t seed, const std::string& policy, std::ostream* journal) {
  Verdict verdict = run(seed, policy, journal);
  if (run(seed, policy).fingerprint != verdict.fingerprint) {
    verdict.broken.emplace_back("two runs of the same seed differ");
  }
  if (verdict.broken.empty()) return true;
  std::cout << "seed " << seed << " (" << name(draw_scenario(seed).faults) << ") under " << policy << ":\n";
  for (const std::string& line : verdict.broken) std::cout << "  " << line << "\n";
  std::cout << "  again: aliquot-faults --from " << seed << " --seeds 1 --policy " << policy << "\n";
  return false;
}

int dispatch(int argc, char** argv) {
  std::uint64_t from = 1;
  std::uint64_t seeds = 24;
  std::vector<std::string> policies;
  CLI::App app("Randomized fault injection, by seed, on the manager's own core.", "aliquot-faults");
  app.add_option("--from", from, "the first seed")->capture_default_str();
  app.add_option("--seeds", seeds, "how many seeds")->capture_default_str();
  app.add_option("--policy", policies, "which policies (all)");
  bool journal = false;
  app.add_flag("--journal", journal, "every step to standard error, a line of JSON each");
  bool first_failure = false;
  app.add_flag("--first-failure", first_failure, "end at the first run that fails");
  CLI11_PARSE(app, argc, argv);
  if (policies.empty()) policies = all_policies();
  std::size_t passed = 0;
  std::size_t failed = 0;
  for (std::uint64_t seed = from; seed < from + seeds; ++seed) {
    for (const std::string& policy : policies) {
      ++(passes(seed, policy, journal ? &std::cerr : nullptr) ? passed : failed);
      if (failed > 0 && first_failure) return 1;
    }
  }
  std::cout << passed << " passed, " << failed << " failed\n";
  return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace
}  // namespace aliquot

int main(int argc, char** argv) { return aliquot::dispatch(argc, argv); }
