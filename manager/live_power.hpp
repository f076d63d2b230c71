// Power of the real nodes: asks the power policy around every step (manager/core/power_control.hpp), and
// carries out what the core has taken of its wishes, once that is on disk. The live counterpart of
// SimulatedPower. Belongs to the loop; the levers do the work on other threads.
//
//   going_off  the lever is pulled. It worked: `off`, and the node is disconnected. It failed: `on`, and
//              the node is left alone for a while.
//   waking     the lever is pulled, and again whenever the boot time has passed, until the node answers and
//              has told what it has: then it is `on`. After power.boot_limit it is down.
//
// While a node is not `on`, its silence is meant: the core hears nothing of whether it answers, but for the
// last word, when it is on again. After a restart of the manager, the levers are pulled once more for every
// node that was going off or booting, and what was learned of arrivals a minute before is there.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "manager/api/answers/cluster_answers.hpp"
#include "manager/core/power_control.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/node_meters.hpp"
#include "manager/power_levers.hpp"
#include "manager/step_input.hpp"
#include "monitor/observer.hpp"
#include "policies/power/energy_meter.hpp"

namespace aliquot {

class LivePower final : public Observer {
 public:
  // All outlive this. `settings` may be replaced by a reload between two calls.
  struct Parts {
    const Scheduler& scheduler;
    StepInput& input;  // of the next step
    PowerLevers& levers;
    const NodePowerSettings& settings;
    std::function<void(const std::string&)> warn;  // a line of the log
    std::function<void(std::string)> keep{};       // what was learned of arrivals, loads and boots
    std::function<void(NodeId)> metered{};         // what is measured of the node's draw has changed
  };
  // The view of the scheduler is what was on disk. `learned`: what was kept last; empty: nothing.
  explicit LivePower(Parts parts, std::string learned = {});

  // Adds the nodes that are to be woken for what is submitted with this step.
  void before_step(std::vector<Event>& events) const;
  void on_step(const Step& step, const ClusterView& after) override;
  void on_durable(const Step& step) override;
  void every_second(Instant now);
  // When a step is to be made even if nothing happens.
  [[nodiscard]] Instant next_due() const;

  // True: the node is not on, and the core need not hear whether it answers.
  [[nodiscard]] bool takes(const NodeChanged& event);

  // "stays on: it holds jobs", "is woken: job 7 waits for it"
  [[nodiscard]] std::string reason(NodeId node) const;
  [[nodiscard]] NodePowerFacts facts(NodeId node) const {
    return {reason(node), power::to_watts(meter_.draw(node)), meter_.energy(node).to_joules(),
            meter_.measured(node).has_value(), boot(node)};
  }
  // None: it draws what the settings say.
  [[nodiscard]] std::optional<power::Watts> measured(NodeId node) const { return meter_.measured(node); }

 private:
  enum class Stage : std::uint8_t {
    not_on_disk,  // that it goes off, or is woken
    pulled,       // the lever: its answer is still to come
    silent,       // woken, and does not answer yet
    answers,      // woken, and its inventory is to be taken
    asked,        // for its inventory
  };
  // A node that goes off or boots.
  struct Change {
    NodePower to = NodePower::off;
    std::uint64_t number = 0;  // answers of levers about another one are out of date
    std::uint64_t step = 0;
    Instant since;
    Stage stage = Stage::not_on_disk;
    Instant again{};      // when to pull the lever, or to ask, once more
    std::string failure;  // of the lever, when it was pulled last
    std::string trouble;  // newest, of the node
  };

  void follow(const Step& step, const ClusterView& after);
  void take_wishes(const Step& step, const ClusterView& after);
  void go_on_from(const std::string& learned);
  void keep_learned();
  [[nodiscard]] bool may_wish(const PowerChanged& wish, Instant now);
  [[nodiscard]] bool has_nothing_to_do(const ClusterView& view) const;
  void begin(NodeId node, const Node& known, std::uint64_t step, Instant now);
  void carry_out(NodeId node, Change& change);
  void is_off(NodeId node, const Result<std::string>& said);
  void is_woken(NodeId node, Change& change, const Result<std::string>& said);
  void ask(NodeId node, Change& change);
  void look_after(NodeId node, Change& change);
  void read_meters();
  // "12s, the longest of its last boots"; empty: no node sleeps.
  [[nodiscard]] std::string boot(NodeId node) const;
  // An answer about the change that was under way when it was asked for; null: that one is over.
  [[nodiscard]] Change* same(NodeId node, std::uint64_t number);
  [[nodiscard]] const std::string& name_of(NodeId node) const;

  Parts parts_;
  PowerControl control_;
  bool sees_steps_ = false;  // it was told of the last one
  std::string kept_;         // of what it has learned
  Instant keep_again_;
  power::EnergyMeter meter_;
  NodeMeters meters_;
  std::vector<std::optional<power::Watts>> measured_;  // by node, as it was told last
  std::vector<NodePower> powers_;                      // by node, as last seen
  std::map<NodeId, Change> under_way_;
  std::uint64_t numbers_ = 0;
  std::map<NodeId, NodeChanged> last_word_;  // of nodes that are not on
  std::map<NodeId, Instant> not_off_before_;
  std::vector<PowerChanged> asked_;  // by node, the last wish
  std::vector<Instant> asked_at_;
  Instant wish_again_ = kNever;
  Instant now_;
};

}  // namespace aliquot
