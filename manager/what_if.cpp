#include "manager/what_if.hpp"

#include <algorithm>
#include <utility>

#include "config/quantities.hpp"
#include "manager/api/explain/plan_actions.hpp"
#include "manager/core/cluster.hpp"
#include "manager/core/diff.hpp"
#include "manager/core/drain.hpp"

namespace aliquot {
namespace {

constexpr std::uint32_t kMostRounds = 50;  // of actions
constexpr std::size_t kMostMoves = 20;     // of jobs off nodes that are drained

// What is supposed, with the nodes found.
struct Assumptions {
  std::vector<NodeId> down;
  std::vector<NodeId> drained;
  std::vector<Node> added;
  std::string policy;  // canonical
};

tl::unexpected<Error> wrong(const std::string& word, const std::string& why) {
  return fail(ErrorKind::invalid_argument, "what if " + quote(word, 100) + ": " + why);
}

Result<NodeId> node_in(const CoreState& state, const std::string& word, const std::string& name) {
  const auto node = node_named(state, name);
  if (!node) return tl::unexpected<Error>(node.error());
  const Node& found = state.view.nodes[node->raw];
  if (found.service == NodeService::removed) return wrong(word, "the node was removed");
  return *node;
}

// A node that is added stands after those that there are, and holds nothing.
Node fresh(const CoreState& state, Node node, std::size_t count) {
  node.id = {static_cast<std::uint32_t>(state.view.nodes.size() + count)};
  const auto is_taken = [&](const std::string& name) {
    return std::ranges::find(state.view.nodes, name, &Node::name) != state.view.nodes.end();
  };
  std::size_t number = count + 1;
  while (is_taken("new" + std::to_string(number))) ++number;
  node.name = "new" + std::to_string(number);
  node.charge_others({});
  node.state = NodeState::up;
  node.service = NodeService::in_service;
  node.power = NodePower::on;
  node.address.clear();
  return node;
}

// "cpu:8,memory:32GiB"
Result<Node> sized(const CoreState& state, const std::string& word, const std::string& sizes) {
  Node node;
  node.keeps_saves = std::ranges::any_of(state.view.nodes, &Node::keeps_saves);
  for (std::size_t at = 0; at <= sizes.size();) {
    const std::size_t comma = std::min(sizes.find(',', at), sizes.size());
    const std::string part = sizes.substr(at, comma - at);
    at = comma + 1;
    const std::size_t colon = part.find(':');
    const std::string key = part.substr(0, colon);
    const std::string value = colon == std::string::npos ? "" : part.substr(colon + 1);
    if (key == "cpu") {
      const auto cpu = parse_cores(value);
      if (!cpu) return wrong(word, "cpu: " + cpu.error().message);
      node.capacity = *cpu;
      node.cores =
          static_cast<std::uint32_t>(std::max<std::int64_t>(1, (cpu->raw + kMillion - 1) / kMillion));
    } else if (key == "memory") {
      const auto memory = parse_memory(value);
      if (!memory) return wrong(word, "memory: " + memory.error().message);
      node.memory = *memory;
    } else {
      return wrong(word, quote(key) +
                             " is not known; write add-node=like:NODE, or "
                             "add-node=cpu:CORES,memory:SIZE");
    }
  }
  if (node.capacity.raw <= 0 || node.memory.raw <= 0)
    return wrong(word, "a node needs both, as add-node=cpu:8,memory:32GiB");
  return node;
}

Result<Node> added_node(const CoreState& state, const std::string& word, const std::string& value) {
  constexpr std::string_view kLike = "like:";
  if (!value.starts_with(kLike)) return sized(state, word, value);
  const auto node = node_in(state, word, value.substr(kLike.size()));
  if (!node) return tl::unexpected<Error>(node.error());
  return state.view.nodes[node->raw];
}

Result<std::string> policy_with_period(const std::string& policy, const std::string& word,
                                       const std::string& value) {
  const auto count = parse_count(value);
  const auto period =
      count && *count <= 30 * 86'400 ? Result<Duration>(seconds(*count)) : parse_duration(value);
  if (!period || period->raw < kMillion)
    return wrong(word, "the period is a number of seconds, 1 at least, as period=60");
  auto spec = with_period(policy, *period);
  if (!spec) return wrong(word, spec.error().message);
  return spec;
}

Result<void> take(const CoreState& state, const std::string& word, Assumptions& all) {
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string key = word.substr(0, equals);
  const std::string value = equals < word.size() ? word.substr(equals + 1) : "";
  if (key == "node-down" || key == "drain") {
    const auto node = node_in(state, word, value);
    if (!node) return tl::unexpected<Error>(node.error());
    const Node& known = state.view.nodes[node->raw];
    if (known.power != NodePower::on) return wrong(word, "the node is asleep, and holds nothing");
    if (known.state == NodeState::fenced) return wrong(word, "the node is down already");
    (key == "drain" ? all.drained : all.down).push_back(*node);
    return {};
  }
  if (key == "add-node") {
    auto node = added_node(state, word, value);
    if (!node) return tl::unexpected<Error>(node.error());
    all.added.push_back(fresh(state, std::move(*node), all.added.size()));
    return {};
  }
  if (key == "policy") {
    const auto policy = make_policy(value);
    if (!policy) return wrong(word, policy.error().message);
    all.policy = (*policy)->name();
    return {};
  }
  if (key == "period") {
    auto spec = policy_with_period(all.policy, word, value);
    if (!spec) return tl::unexpected<Error>(spec.error());
    all.policy = std::move(*spec);
    return {};
  }
  return wrong(word,
               "it is not known; write node-down=NODE, drain=NODE, add-node=like:NODE, "
               "add-node=cpu:CORES,memory:SIZE, period=SECONDS or policy=SPEC");
}

Result<Assumptions> read(const CoreState& state, const std::vector<std::string>& words) {
  Assumptions all;
  all.policy = state.policy;
  for (const std::string& word : words)  // the period is that of the policy that is supposed
    if (word.starts_with("policy="))
      if (auto taken = take(state, word, all); !taken) return tl::unexpected<Error>(taken.error());
  for (const std::string& word : words)
    if (!word.starts_with("policy="))
      if (auto taken = take(state, word, all); !taken) return tl::unexpected<Error>(taken.error());
  return all;
}

// A cluster in which every action succeeds at once.
class Rehearsal {
 public:
  Rehearsal(CoreState state, const Policy& policy) : cluster_(std::move(state)), policy_(policy) {}

  [[nodiscard]] const CoreState& state() const { return cluster_.state(); }

  void apply(const std::vector<Event>& events) { cluster_.apply(events); }

  void act() {
    for (std::uint32_t round = 0; round < kMostRounds; ++round) {
      const std::vector<Action> actions = diff(cluster_, storage_);
      if (actions.empty()) return;
      cluster_.issue(actions);
      cluster_.apply(land_flights(cluster_.state()));
      (void)cluster_.take_ended();
    }
  }

  // Asks the policy, and does what it says; a plan that breaks a law is not carried out.
  std::pair<Plan, std::vector<Violation>> decide(const ClusterView& view) {
    Plan plan = policy_.decide(view);
    std::vector<Violation> violations = check_plan(cluster_.view(), plan);
    if (violations.empty()) cluster_.adopt(plan);
    (void)cluster_.take_cause();
    if (violations.empty()) act();
    return {std::move(plan), std::move(violations)};
  }

  // As `plan` asks: with all that waits as if it had just arrived, and the period over.
  std::pair<Plan, std::vector<Violation>> decide_all() {
    ClusterView view = cluster_.view();
    view.cause = {};
    view.cause.tick = policy_.period().has_value();
    view.cause.disturbed = true;
    for (const auto& [id, job] : view.jobs)
      if (job.phase == Phase::waiting && !job.held) view.cause.arrived.push_back(id);
    return decide(view);
  }

  [[nodiscard]] const ClusterView& view() const { return cluster_.view(); }
  [[nodiscard]] std::vector<VmQuery> unclear() const { return cluster_.unclear(); }

 private:
  Cluster cluster_;
  const Policy& policy_;
  DiffStorage storage_;
};

CoreState with_nodes(CoreState state, const Assumptions& all, const Policy& policy) {
  for (const Node& node : all.added) state.view.nodes.push_back(node);
  for (const NodeId node : all.drained) {
    state.view.nodes[node.raw].service = NodeService::draining;
    state.node_records[node].drain = Drain{DrainMode::migrate, {}, state.view.now, "what if"};
  }
  state.mode = Mode::automatic;
  if (state.policy == policy.name()) return state;
  state.policy = policy.name();
  state.view.memory = {};
  state.wake_at.reset();
  state.tick_base = state.view.now;
  state.view.next_tick.reset();
  if (policy.period()) state.view.next_tick = state.view.now + *policy.period();
  return state;
}

// As after `node confirm-down`: what ran there is lost.
void lose(Rehearsal& copy, NodeId node) {
  copy.apply({NodeChanged{node, NodeState::down, "what if"}, NodeFenced{node, "what if", ""}});
  std::vector<Event> gone;
  for (const VmQuery& query : copy.unclear())
    gone.emplace_back(Inspected{query.job, query.task, query.incarnation, VmFact::absent, {}, {}});
  copy.apply(gone);
}

// As NodeWatch does it: one job after the other, as long as the policy has a place for it elsewhere.
std::vector<DrainRow> empty_node(Rehearsal& copy, const Policy& policy, NodeId node, std::size_t& tries) {
  const Drain drain{DrainMode::migrate, {}, copy.view().now, "what if"};
  std::vector<DrainRow> rows;
  std::vector<DrainStep> steps;
  for (; tries > 0; --tries) {
    steps = drain_steps(copy.view(), policy, node, drain, copy.view().now, 1);
    // A job that is tried and has no place is not to keep the next ones from being tried.
    const auto moves = [](const DrainStep& step) { return step.turn == DrainTurn::move; };
    auto next = std::ranges::find_if(steps, moves);
    if (next == steps.end()) {
      steps = drain_steps(copy.view(), policy, node, drain, copy.view().now, tries);
      next = std::ranges::find_if(steps, moves);
    }
    if (next == steps.end()) break;
    rows.push_back({next->job, "move", ""});
    copy.apply({Displaced{next->job, false, "what if"}});
    copy.decide(copy.view());
  }
  for (DrainStep& step : steps)
    if (step.turn != DrainTurn::move)
      rows.push_back({step.job, std::string(word(step.turn)), std::move(step.why)});
  return rows;
}

// The changes that lead from one to the other.
std::vector<Change> changes_between(const ClusterView& before, const ClusterView& after) {
  std::vector<Change> changes;
  for (const auto& [id, job] : before.jobs) {
    const auto then = after.jobs.find(id);
    if (then == after.jobs.end()) continue;
    const Job& now = then->second;
    if (now.placement != job.placement || now.yield != job.yield)
      changes.push_back({id, now.placement, now.yield, now.devices});
  }
  return changes;
}

}  // namespace

Result<Supposition> suppose(const CoreState& present, const std::vector<std::string>& words) {
  const auto all = read(present, words);
  if (!all) return tl::unexpected<Error>(all.error());
  auto policy = make_policy(all->policy);
  if (!policy) return tl::unexpected<Error>(policy.error());
  Supposition found;
  found.policy = std::move(*policy);
  for (const NodeId node : all->down)
    for (JobFate& fate : fates_on(present, node))
      if (std::ranges::find(found.lost, fate.job, &JobFate::job) == found.lost.end())
        found.lost.push_back(std::move(fate));
  Rehearsal copy(with_nodes(present, *all, *found.policy), *found.policy);
  for (const NodeId node : all->down) lose(copy, node);
  copy.apply(land_flights(copy.state()));
  copy.act();
  found.state = copy.state();
  std::size_t tries = kMostMoves;
  for (const NodeId node : all->drained)
    for (DrainRow& row : empty_node(copy, *found.policy, node, tries))
      found.drained.push_back(std::move(row));
  auto [plan, violations] = copy.decide_all();
  found.plan = std::move(plan);
  found.violations = std::move(violations);
  if (all->drained.empty() || !found.violations.empty()) return found;
  found.plan.changes = changes_between(found.state.view, copy.view());
  found.violations = check_plan(found.state.view, found.plan);
  return found;
}

}  // namespace aliquot
