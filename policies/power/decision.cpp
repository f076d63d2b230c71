#include "policies/power/decision.hpp"

#include <algorithm>
#include <functional>

#include "policies/draft.hpp"
#include "policies/maintenance/by_windows.hpp"
#include "policies/model/hypervisor_kind.hpp"

namespace aliquot::power {
namespace {

// A job that waits for so long after nodes were last woken waits for something that is not known here:
// every node that may be of use to it is woken.
constexpr Duration kPatience = seconds(900);

// While a wait for a boot would be the largest stretch of all, one node in so many is in reserve.
constexpr std::int64_t kQuietReserve = 5;

// Of so many different requests it is remembered that the cluster could not hold them.
constexpr std::size_t kMostHopeless = 64;

// What a node is to the power policy.
enum class Standing : std::uint8_t {
  not_available,
  busy,      // on or waking, and holds something or is to hold it
  idle,      // on, and holds nothing
  changing,  // goes off
  waking,
  asleep,
};

// By node: whether a job is to run or must go on there.
std::vector<bool> find_held(const ClusterView& view) {
  std::vector<bool> held(view.nodes.size(), false);
  for (const auto& [id, job] : view.jobs) {
    for (const Share& share : job.placement) held[share.node.raw] = true;
    for (const Share& share : job.tied_to) held[share.node.raw] = true;
  }
  return held;
}

Standing standing_of(const Node& node, bool held) {
  if (node.state != NodeState::up || node.service != NodeService::in_service)
    return Standing::not_available;
  switch (node.power) {
    case NodePower::going_off:
      return Standing::changing;
    case NodePower::off:
      return Standing::asleep;
    case NodePower::waking:
      return held ? Standing::busy : Standing::waking;
    case NodePower::on:
      break;
  }
  return held ? Standing::busy : Standing::idle;
}

// The node may hold tasks of this job, and so be what it waits for.
bool is_of_use(const ClusterView& view, const Node& node, const Job& job) {
  const Demand& demand = job.demand;
  if (kept_off_by(view, job, node.id, kFullYield)) return false;
  if (!job.tied_to.empty())
    return std::ranges::any_of(job.tied_to, [&](const Share& share) { return share.node == node.id; });
  const auto kind = job.bound ? job.bound : demand.hypervisor;
  if (kind && node.hypervisor != *kind) return false;
  const auto suits = [&](const Device& device) { return demand.devices.suits(device); };
  if (std::ranges::count_if(node.devices, suits) < std::int64_t{demand.devices.per_node}) return false;
  return slots_beside(node, {node.memory, {}, {}, 0}, demand) > 0;
}

// The same nodes are of use to both, and hold as many of their tasks.
bool asks_alike(const Job& a, const Job& b) {
  return a.demand == b.demand && a.bound == b.bound && a.tied_to == b.tied_to &&
         a.time_limit == b.time_limit && a.wall_limit == b.wall_limit;
}

// How many more such tasks the node can run at full speed.
std::int64_t full_speed_slots(const Node& node, const NodeLoad& load, const Demand& demand) {
  std::int64_t slots = demand.tasks;
  if (demand.need.raw > 0) slots = std::min(slots, (node.capacity - load.need).raw / demand.need.raw);
  if (demand.memory.raw > 0) slots = std::min(slots, (node.memory - load.memory).raw / demand.memory.raw);
  return std::max<std::int64_t>(slots, 0);
}

class Deciding {
 public:
  Deciding(const ClusterView& view, const PowerSettings& settings, const PowerMemory& memory,
           std::span<const Demand> arriving)
      : view_(view),
        settings_(settings),
        memory_(memory),
        arriving_(arriving),
        claimed_(view.nodes.size(), false) {
    const std::vector<bool> held = find_held(view);
    decision_.verdicts.resize(view.nodes.size());
    for (const Node& node : view.nodes) {
      standing_.push_back(standing_of(node, held[node.id.raw]));
      ++count_[static_cast<std::size_t>(standing_.back())];
      if (standing_.back() >= Standing::idle) ++unclaimed_;
    }
  }

  PowerDecision run() {
    describe_fixed_nodes();
    if (settings_.rule == PowerRule::always_on) {
      claim(view_.nodes.size(), {.reason = PowerReason::always_on}, any_node);
    } else {
      serve_waiting_jobs();
      serve_arriving_jobs();
      settings_.rule == PowerRule::cape_rm ? keep_by_cape_rm() : keep_reserve();
      release_surplus();
    }
    return std::move(decision_);
  }

 private:
  using Suitable = std::function<bool(const Node&)>;
  static bool any_node(const Node&) { return true; }

  [[nodiscard]] std::size_t count(Standing standing) const {
    return count_[static_cast<std::size_t>(standing)];
  }
  void ask_again(Instant at) {
    if (at > view_.now) decision_.ask_again = std::min(decision_.ask_again, at);
  }
  void conclude(std::size_t n, NodeVerdict verdict, NodePower next) {
    verdict.next = next;
    decision_.verdicts[n] = verdict;
  }

  // The nodes whose power does not change now.
  void describe_fixed_nodes() {
    for (std::size_t n = 0; n < standing_.size(); ++n) {
      const NodePower power = view_.nodes[n].power;
      if (standing_[n] == Standing::not_available)
        conclude(n, {.reason = PowerReason::not_available}, power);
      if (standing_[n] == Standing::busy) conclude(n, {.reason = PowerReason::holds_jobs}, power);
      if (power == NodePower::going_off || power == NodePower::waking)
        conclude(n, {.reason = PowerReason::changing}, power);
      if (standing_[n] == Standing::asleep) conclude(n, {.reason = PowerReason::surplus}, power);
    }
  }

  // Claims so many suitable nodes that hold nothing, for this reason: first those that are on, then those
  // that boot, then those that are asleep, which are woken. Returns how many are woken.
  std::size_t claim(std::size_t wanted, const NodeVerdict& why, const Suitable& suitable) {
    std::size_t woken = 0;
    for (const Standing standing : {Standing::idle, Standing::waking, Standing::asleep}) {
      for (std::size_t n = 0; n < standing_.size() && wanted > 0; ++n) {
        if (standing_[n] != standing || claimed_[n] || !suitable(view_.nodes[n])) continue;
        claimed_[n] = true;
        --unclaimed_;
        --wanted;
        const bool asleep = standing == Standing::asleep;
        if (standing != Standing::waking) conclude(n, why, asleep ? NodePower::waking : NodePower::on);
        woken += asleep ? 1 : 0;
      }
    }
    return woken;
  }

  [[nodiscard]] bool could_be_placed(const Job& job) const {
    std::int64_t slots = 0;
    for (const Node& node : view_.nodes) {
      if (node.service != NodeService::in_service || !is_of_use(view_, node, job)) continue;
      slots += slots_beside(node, {node.memory, {}, {}, 0}, job.demand);
      if (slots >= job.demand.tasks) return true;
    }
    return slots >= job.demand.tasks;
  }
  // Jobs that wait are often alike: of those that cannot be placed only the first looks at all nodes.
  [[nodiscard]] bool is_hopeless(const Job& job) {
    const auto is_alike = [&](const Job* other) { return asks_alike(*other, job); };
    if (std::ranges::any_of(hopeless_, is_alike)) return true;
    if (could_be_placed(job)) return false;
    if (hopeless_.size() < kMostHopeless) hopeless_.push_back(&job);
    return true;
  }

  // A job gets a node for each task: what a policy of whole nodes asks for, and no other more.
  void serve_waiting_jobs() {
    for (const auto& [id, job] : view_.jobs) {
      if (!job.placement.empty() || job.held) continue;
      if (unclaimed_ == 0) return;
      if (is_hopeless(job)) continue;
      const NodeVerdict why{.reason = PowerReason::waiting_job, .job = id};
      const Suitable of_use = [&job = job, this](const Node& node) { return is_of_use(view_, node, job); };
      const std::size_t wanted = job.tied_to.empty() ? job.demand.tasks : job.tied_to.size();
      if (claim(wanted, why, of_use) > 0 || count(Standing::asleep) == 0) continue;
      const Instant at = std::max(job.phase_since, last_change()) + kPatience;
      if (at <= view_.now)
        claim(view_.nodes.size(), why, of_use);
      else
        ask_again(at);
    }
  }
  // Nodes for the tasks that find no place at full speed beside those that are there.
  void serve_arriving_jobs() {
    for (const Demand& demand : arriving_) {
      std::int64_t missing = demand.tasks;
      for (std::size_t n = 0; n < standing_.size(); ++n)
        if (standing_[n] == Standing::busy && view_.nodes[n].usable())
          missing -= full_speed_slots(view_.nodes[n], view_.index.load(view_.nodes[n].id), demand);
      if (missing <= 0) continue;
      const NodeShare share = job_share(demand, average_node(view_.nodes));
      const auto wanted = static_cast<std::size_t>(
          nodes_for({multiply_divide(share.raw, missing, std::int64_t{demand.tasks})}));
      claim(wanted, {.reason = PowerReason::load, .nodes = static_cast<std::uint32_t>(wanted)}, any_node);
    }
  }
  [[nodiscard]] Instant last_change() const {
    Instant last;
    for (const PowerMemory::NodeTimes& node : memory_.nodes)
      last = std::max(last, node.changed.value_or(last));
    return last;
  }

  // CAPE-RM, sec. III: q % of the nodes carry the load, "current load only or statistical average load
  // based on daily time slot"; what else is idle is redundant.
  void keep_by_cape_rm() {
    const NodeShare load = std::max(memory_.load, memory_.daily.average(view_.now).value_or(NodeShare{}));
    const auto wanted = static_cast<std::size_t>(nodes_for(load));
    const std::size_t carried = count(Standing::busy);
    if (wanted > carried)
      claim(wanted - carried, {.reason = PowerReason::load, .nodes = static_cast<std::uint32_t>(wanted)},
            any_node);
    ask_again(next_hour());
  }
  [[nodiscard]] Instant next_hour() const { return {(view_.now.raw / kHour.raw + 1) * kHour.raw}; }

  // Nodes for what the placed jobs need beyond the nodes that they are on, then the reserve.
  void keep_reserve() {
    const AverageNode average = average_node(view_.nodes);
    NodeShare placed;
    for (const auto& [id, job] : view_.jobs)
      if (!job.placement.empty()) placed += job_share(job.demand, average);
    const auto wanted = static_cast<std::size_t>(nodes_for(placed));
    const std::size_t carried = count(Standing::busy);
    if (wanted > carried)
      claim(wanted - carried, {.reason = PowerReason::load, .nodes = static_cast<std::uint32_t>(wanted)},
            any_node);
    const std::uint32_t reserve = reserve_now();
    claim(reserve, {.reason = PowerReason::reserve, .nodes = reserve}, any_node);
    // Before an hour in which more arrives, nodes are woken in time.
    ask_again(next_hour() - longest_boot());
    ask_again(next_hour());
  }
  // The arrivals of the time that a node takes to boot, now or by the end of that time; more in quiet
  // times.
  [[nodiscard]] std::uint32_t reserve_now() const {
    const Duration boot = longest_boot();
    const auto arrivals = [&](Instant from) {
      return memory_.arrivals.expected(from, boot, settings_.caution);
    };
    const NodeShare most = std::max(arrivals(view_.now), arrivals(view_.now + boot));
    const auto all = std::ssize(view_.nodes);
    const bool is_quiet = memory_.stretch.largest(view_.now) < RecentStretch::of_boot(boot);
    const auto nodes = std::max(std::min(nodes_for(most), all), is_quiet ? all / kQuietReserve : 0);
    return std::max(settings_.reserve, static_cast<std::uint32_t>(nodes));
  }

  // Of the nodes that may boot.
  [[nodiscard]] Duration longest_boot() const {
    Duration longest;
    for (std::uint32_t n = 0; n < standing_.size(); ++n)
      if (standing_[n] != Standing::not_available)
        longest = std::max(longest, boot_time(settings_, memory_, NodeId{n}));
    return longest;
  }

  // How long a node stays on that is idle and not needed.
  [[nodiscard]] Duration linger(NodeId node) const {
    if (settings_.rule != PowerRule::aliquot) return {};
    return break_even(settings_.draw_of(node), boot_time(settings_, memory_, node));
  }

  // What is idle and not claimed goes off, unless it is too early.
  void release_surplus() {
    for (std::size_t n = 0; n < standing_.size(); ++n) {
      if (standing_[n] != Standing::idle || claimed_[n]) continue;
      const PowerMemory::NodeTimes& times = memory_.nodes[n];
      const Instant on_until = times.changed ? *times.changed + settings_.minimum_on : view_.now;
      const Instant idle_until =
          later_by(times.idle_since.value_or(view_.now), linger(NodeId{static_cast<std::uint32_t>(n)}));
      const Instant until = std::max(on_until, idle_until);
      if (until <= view_.now) {
        conclude(n, {.reason = PowerReason::surplus}, NodePower::going_off);
        continue;
      }
      const bool by_time_on = on_until >= idle_until;
      conclude(n,
               {.reason = by_time_on ? PowerReason::minimum_on : PowerReason::break_even, .until = until},
               NodePower::on);
      ask_again(until);
    }
  }

  const ClusterView& view_;
  const PowerSettings& settings_;
  const PowerMemory& memory_;
  std::span<const Demand> arriving_;
  std::vector<Standing> standing_;  // by node
  std::vector<bool> claimed_;       // by node
  std::array<std::size_t, 6> count_{};
  std::size_t unclaimed_ = 0;         // nodes that hold nothing and that no job has claimed
  std::vector<const Job*> hopeless_;  // what could not be placed; no two ask alike
  PowerDecision decision_;
};

}  // namespace

void learn(PowerMemory& memory, const ClusterView& view, const Demand& demand) {
  memory.arrivals.advance(view.now);
  memory.arrivals.add(view.now, job_share(demand, average_node(view.nodes)));
}

// What began before it was observed teaches nothing, nor does a boot that was given up: then the node is
// down.
static void follow_boot(PowerMemory& memory, const Node& node, NodePower before, Instant now) {
  auto& woken = memory.nodes[node.id.raw].woken;
  const std::optional<Instant> since = std::exchange(woken, std::nullopt);
  if (before == NodePower::off && node.power == NodePower::waking) woken = now;
  if (before != NodePower::waking || node.power != NodePower::on || node.state != NodeState::up || !since)
    return;
  if (memory.boots.size() < memory.nodes.size()) memory.boots.resize(memory.nodes.size());
  memory.boots[node.id.raw].see(now - *since);
}

Duration boot_time(const PowerSettings& settings, const PowerMemory& memory, NodeId node) {
  const Duration setting = settings.boot_of(node);
  return node.raw < memory.boots.size() ? memory.boots[node.raw].expected(setting) : setting;
}

void observe(PowerMemory& memory, const ClusterView& view) {
  memory.arrivals.advance(view.now);
  memory.daily.add(memory.observed, view.now, memory.load);
  memory.observed = view.now;
  memory.load = present_load(view);
  const std::vector<bool> held = find_held(view);
  memory.nodes.resize(view.nodes.size());
  for (const Node& node : view.nodes) {
    PowerMemory::NodeTimes& times = memory.nodes[node.id.raw];
    const NodePower before = std::exchange(times.power, node.power);
    if (before != node.power) {
      times.changed = view.now;
      follow_boot(memory, node, before, view.now);
    }
    const bool idle = node.power == NodePower::on && !held[node.id.raw];
    if (!idle) times.idle_since.reset();
    if (idle && !times.idle_since) times.idle_since = view.now;
  }
}

void resume(PowerMemory& memory, Instant now) {
  memory.arrivals.skip_to(now);
  memory.nodes.clear();
  memory.observed = now;
  memory.load = {};
}

PowerDecision decide_power(const ClusterView& view, const PowerSettings& settings,
                           const PowerMemory& memory, std::span<const Demand> arriving) {
  return Deciding(view, settings, memory, arriving).run();
}

std::string text_of(const NodeVerdict& verdict, NodePower power, Instant now) {
  std::string text = verdict.next == power ? power == NodePower::off ? "stays off" : "stays on"
                     : verdict.next == NodePower::going_off ? "goes off"
                                                            : "is woken";
  const auto left = [&] {
    const Duration span = verdict.until.value_or(now) - now;
    return std::to_string((span.raw + kMillion - 1) / kMillion) + " s more";
  };
  switch (verdict.reason) {
    case PowerReason::always_on:
      return text + ": the rule is always-on";
    case PowerReason::not_available:
      return text + ": it does not answer, or is not in service";
    case PowerReason::holds_jobs:
      return text + ": it holds jobs";
    case PowerReason::waiting_job:
      return text + ": job " + std::to_string(verdict.job.value_or(JobId{}).raw) + " waits for it";
    case PowerReason::load:
      return text + ": the load needs " + std::to_string(verdict.nodes) + " nodes";
    case PowerReason::reserve:
      return text + ": a reserve of " + std::to_string(verdict.nodes) + " idle nodes";
    case PowerReason::minimum_on:
      return text + ": minimum on-time, " + left();
    case PowerReason::break_even:
      return text + ": idle for less than a boot costs, " + left();
    case PowerReason::surplus:
      return text + ": the other nodes carry the load, and the reserve is complete";
    case PowerReason::changing:
      return power == NodePower::waking ? "boots" : "is going off";
  }
  return text;
}

}  // namespace aliquot::power
