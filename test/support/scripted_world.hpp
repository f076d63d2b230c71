// The core on strings: a policy that answers what the test wrote, and hypervisor outcomes given by hand.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "manager/core/scheduler.hpp"
#include "monitor/record/plan_check.hpp"
#include "test/support/small_view.hpp"

namespace aliquot::test {

// Answers the plans of a queue, one a decision; then nothing more.
class ScriptedPolicy final : public Policy {
 public:
  explicit ScriptedPolicy(std::shared_ptr<std::deque<Plan>> plans) : plans_(std::move(plans)) {}
  [[nodiscard]] std::string name() const override { return "SCRIPTED"; }
  [[nodiscard]] std::optional<Duration> period() const override { return std::nullopt; }
  [[nodiscard]] Plan decide(const ClusterView&) const override {
    if (plans_->empty()) return {};
    Plan next = plans_->front();
    plans_->pop_front();
    return next;
  }
  [[nodiscard]] Explanation explain(const ClusterView&, JobId) const override { return {}; }

 private:
  std::shared_ptr<std::deque<Plan>> plans_;
};

class ScriptedWorld {
 public:
  explicit ScriptedWorld(std::vector<Node> nodes)
      : scheduler_(Cluster(std::move(nodes)), std::make_unique<ScriptedPolicy>(plans_)) {}

  void will_decide(std::vector<Change> changes) {
    Plan plan;
    plan.changes = std::move(changes);
    plans_->push_back(std::move(plan));
  }
  Step at(std::int64_t second, std::vector<Event> events = {}) {
    now_ = Instant{} + seconds(second);
    return round(std::move(events));
  }
  Step round(std::vector<Event> events) {
    Step step = scheduler_.round(now_, std::move(events));
    if (step.decision) violations_ += step.decision->violations.size();
    violations_ += overfull_nodes();
    return step;
  }
  // Every action succeeds at once, until there is nothing left to do. Returns all that was done, in words.
  std::string complete(Step step) {
    std::string done;
    for (int turn = 0; !step.actions.empty() && turn < 100; ++turn) {
      std::vector<Event> outcomes;
      for (const Action& action : step.actions) {
        done += describe(action) + ";";
        outcomes.emplace_back(Outcome{head(action).op, head(action).job, head(action).tasks, {}, {}, {}});
      }
      step = round(std::move(outcomes));
    }
    return done;
  }
  static std::string describe(const Action& action) {
    std::string text(word(action));
    text += " " + std::to_string(head(action).job.raw) + "." + std::to_string(head(action).tasks.first);
    if (head(action).tasks.count > 1) text += "+" + std::to_string(head(action).tasks.count);
    if (const auto* create = std::get_if<Create>(&action)) text += describe(create->nodes);
    if (const auto* restore = std::get_if<Restore>(&action)) text += describe(*restore);
    if (const auto* migrate = std::get_if<Migrate>(&action)) text += describe(migrate->to);
    if (const auto* cap = std::get_if<Cap>(&action)) text += " " + std::to_string(cap->yield.raw / 1000);
    if (const auto* checkpoint = std::get_if<Checkpoint>(&action))
      text += " #" + std::to_string(checkpoint->number);
    return text;
  }
  static std::string describe(const Restore& restore) {
    return describe(restore.nodes) +
           (restore.checkpoint > 0 ? " #" + std::to_string(restore.checkpoint) : std::string());
  }
  static std::string describe(const TaskNodes& nodes) {
    if (nodes.is_one()) return " n" + std::to_string(nodes[0].raw);
    std::string text;
    for (const NodeId node : nodes.each()) text += (text.empty() ? " n" : ",n") + std::to_string(node.raw);
    return text;
  }
  [[nodiscard]] const Scheduler& scheduler() const { return scheduler_; }
  [[nodiscard]] const Job& job(std::uint64_t id) const { return scheduler_.cluster().view().jobs.at({id}); }
  [[nodiscard]] const Vm& vm(std::uint64_t id, std::uint32_t task) const {
    return scheduler_.cluster().record({id})->vms[task];
  }
  // Refused plans, and nodes whose physical charge was above what they have after some round.
  [[nodiscard]] std::size_t violations() const { return violations_; }

 private:
  [[nodiscard]] std::size_t overfull_nodes() const {
    std::size_t count = 0;
    for (const Node& node : scheduler_.cluster().view().nodes) {
      const NodeCharge& charge = scheduler_.cluster().ledger().charged(node.id);
      if (charge.memory > node.memory || charge.cpu > node.capacity) ++count;
    }
    return count;
  }

  std::shared_ptr<std::deque<Plan>> plans_ = std::make_shared<std::deque<Plan>>();
  Scheduler scheduler_;
  Instant now_;
  std::size_t violations_ = 0;
};

}  // namespace aliquot::test
