#include "test/faults/scenario.hpp"

#include <algorithm>

#include "manager/hypervisor/model/chance.hpp"

namespace aliquot {
namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : chance_(seed) {}
  // Uniform in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + chance_.up_to(high - low, ++count_, 0, 0);
  }
  bool in(std::int64_t percent) { return between(1, 100) <= percent; }

 private:
  Chance chance_;
  std::uint64_t count_ = 0;
};

WorkloadJob draw_job(Dice& dice, std::uint64_t number, Instant submitted, const ClusterShape& shape) {
  WorkloadJob job;
  job.id = {number};
  job.submitted = submitted;
  // A batch policy gives each task a whole node: a job must not be wider than the cluster.
  job.submission.demand.tasks = dice.in(40) ? 1 : static_cast<std::uint32_t>(dice.between(1, shape.nodes));
  job.cpu_need = SmallDecimal({kPico * dice.between(1, 4) / 4});
  job.memory = SmallDecimal({kPico * (dice.in(55) ? 1 : dice.between(2, 10)) / 10});
  Demand& demand = job.submission.demand;
  demand.need = cpu_of(job.cpu_need, shape.capacity());
  demand.memory = memory_of(job.memory, shape.node_memory);
  const Duration runtime{dice.in(30) ? dice.between(1, 30'000'000) : dice.between(1, 3'000) * kMillion};
  demand.estimate = dice.in(50) ? runtime : runtime * 2;
  if (dice.in(10)) demand.min_yield = Yield{dice.between(1, 5) * kMillion / 10};
  demand.movable = !dice.in(5);
  job.submission.alone = runtime;
  job.submission.exit_code = dice.in(8) ? 3 : 0;
  if (dice.in(4)) job.submission.time_limit = std::max(Duration{runtime.raw / 2}, Duration{1});
  return job;
}

void draw_faults(Dice& dice, Scenario& scenario, Instant last) {
  ModelOptions& model = scenario.model;
  model.penalty = dice.in(50) ? seconds(dice.between(1, 600)) : Duration{};
  if (scenario.faults >= FaultLevel::delays) {
    for (Duration& delay : model.delay) delay = Duration{dice.between(0, 20'000'000)};
    model.jitter = Duration{dice.between(0, 5'000'000)};
  }
  if (scenario.faults >= FaultLevel::failures) {
    for (std::uint32_t& fail : model.fail) fail = static_cast<std::uint32_t>(dice.between(0, 100'000));
  }
  if (scenario.faults < FaultLevel::losses) return;
  model.lost = static_cast<std::uint32_t>(dice.between(0, 30'000));
  model.crash = static_cast<std::uint32_t>(dice.between(0, 30'000));
  for (std::int64_t i = dice.between(0, 4); i > 0; --i) {
    const NodeId node{static_cast<std::uint32_t>(dice.between(0, scenario.shape.nodes - 1))};
    model.outages.push_back({node, Instant{dice.between(1, last.raw + 1)},
                             Duration{dice.between(1, 1'000) * kMillion}, dice.in(40)});
  }
}

// From dice of their own, so that the rest of a seed's scenario stays as it is.
void draw_later_additions(Dice dice, Scenario& scenario) {
  ModelOptions& model = scenario.model;
  model.late_by = Duration{dice.between(1, 120'000'000)};
  if (scenario.faults >= FaultLevel::delays && dice.in(50))
    model.doubled = static_cast<std::uint32_t>(dice.between(0, 200'000));
  if (scenario.faults >= FaultLevel::losses && dice.in(70))
    model.late = static_cast<std::uint32_t>(dice.between(0, 200'000));
  if (dice.in(50)) scenario.deaths = static_cast<std::uint32_t>(dice.between(2'000, 50'000));
  if (dice.in(50)) model.checkpoint = seconds(dice.between(1, 600));
}

// Likewise.
void draw_fences(Dice dice, Scenario& scenario) {
  if (scenario.faults < FaultLevel::losses) return;
  if (dice.in(70)) scenario.fence_after = Duration{dice.between(1, 300) * kMillion};
  for (WorkloadJob& job : scenario.workload.jobs)
    if (dice.in(60)) job.submission.requeue = static_cast<std::uint32_t>(dice.between(1, 3));
}

// Likewise: VMs that stop together before one is saved.
void draw_networks(Dice dice, Scenario& scenario) {
  if (dice.in(50)) return;
  for (WorkloadJob& job : scenario.workload.jobs) job.submission.has_network = dice.in(60);
  if (scenario.faults < FaultLevel::failures || dice.in(30)) return;
  std::uint32_t& fail = scenario.model.fail[static_cast<std::size_t>(ActionKind::save)];
  fail = static_cast<std::uint32_t>(dice.between(100'000, 500'000));  // most attempts to pause a job
}

// Likewise: half of the nodes are of another hypervisor kind, and no job is wider than either half.
void draw_kinds(Dice dice, Scenario& scenario) {
  ClusterShape& shape = scenario.shape;
  if (shape.nodes < 4 || dice.in(50)) return;
  const std::uint32_t half = shape.nodes / 2;
  NodeKind kind{"l", shape.nodes - half, shape.cores_per_node, kMillion, shape.node_memory};
  shape.kinds = {kind, kind};
  shape.kinds[1].name = "x";
  shape.kinds[1].count = half;
  shape.kinds[1].hypervisor = HypervisorKind::xen;
  for (WorkloadJob& job : scenario.workload.jobs) {
    std::uint32_t& tasks = job.submission.demand.tasks;
    tasks = std::min(tasks, half);
  }
}

// In a third of the scenarios nodes go off as soon as they hold nothing, and boot for anything up to
// minutes.
void draw_power(Dice dice, Scenario& scenario) {
  if (!dice.in(33)) return;
  power::PowerSettings settings;
  settings.rule = dice.in(50) ? power::PowerRule::aliquot : power::PowerRule::cape_rm;
  settings.boot = Duration{dice.between(0, 300) * kMillion};
  settings.switch_off = Duration{dice.between(0, 30) * kMillion};
  settings.minimum_on = {};
  settings.reserve = 0;
  settings.caution = 0;
  settings.draw.asleep = {};  // the less a boot costs, the sooner a node goes off
  scenario.power = settings;
}

// Likewise: all or half of the nodes keep the VMs that are saved on them.
void draw_local_saves(Dice dice, Scenario& scenario) {
  ClusterShape& shape = scenario.shape;
  if (dice.in(60)) return;
  if (shape.kinds.empty())
    shape.kinds = {{"n", shape.nodes, shape.cores_per_node, kMillion, shape.node_memory}};
  for (NodeKind& kind : shape.kinds) kind.local_saves = true;
  if (shape.kinds.size() > 1 && dice.in(50)) shape.kinds.front().local_saves = false;
}

// Likewise: some jobs need more or less than they were submitted with, once or twice, at some time after,
// as their users say or as it is learned.
void draw_needs(Dice dice, Scenario& scenario) {
  if (dice.in(50)) return;
  const std::int64_t longest = std::max<std::int64_t>(2 * scenario.workload.jobs.back().submitted.raw, 1);
  for (const WorkloadJob& job : scenario.workload.jobs) {
    if (!dice.in(60)) continue;
    for (std::int64_t left = dice.between(1, 2); left > 0; --left) {
      const Cpu need{scenario.shape.capacity().raw * dice.between(1, 8) / 8};
      scenario.needs[job.id][job.submitted + Duration{dice.between(0, longest)}] = {need, dice.in(50)};
    }
  }
}

// Likewise: some jobs get more or fewer tasks, as their profiles or their users say; some tasks do not
// listen.
void draw_sizes(Dice dice, Scenario& scenario) {
  if (dice.in(50)) return;
  scenario.model.deaf = 300'000;
  const std::int64_t longest = std::max<std::int64_t>(2 * scenario.workload.jobs.back().submitted.raw, 1);
  const auto size = [&] { return static_cast<std::uint32_t>(dice.between(1, 6)); };
  for (WorkloadJob& job : scenario.workload.jobs) {
    if (is_constrained(job.submission.demand)) continue;
    if (dice.in(30)) {
      Duration after;
      for (std::int64_t left = dice.between(1, 3); left > 0; --left) {
        after = after + Duration{dice.between(1, std::max<std::int64_t>(job.runtime().raw / 2, 1))};
        scenario.workload.profiles[job.id].push_back({after, size()});
      }
    }
    if (!dice.in(30)) continue;
    for (std::int64_t left = dice.between(1, 3); left > 0; --left) {
      const Instant at = job.submitted + Duration{dice.between(0, longest)};
      scenario.sizes[job.id][at] = {size(), Duration{dice.in(50) ? 0 : dice.between(1, longest)}};
    }
  }
}

// Half of them are announced by guests.
void draw_announcements(Dice dice, Scenario& scenario) {
  for (auto& [id, changes] : scenario.sizes)
    for (auto& [at, change] : changes) change.by_guest = dice.in(50);
}

// Likewise: some jobs may start only after an earlier one, or at a time.
void draw_starts(Dice dice, Scenario& scenario) {
  if (dice.in(50)) return;
  for (const WorkloadJob& job : scenario.workload.jobs) {
    if (job.id.raw < 2 || !dice.in(40)) continue;
    StartTerms& start = scenario.workload.starts[job.id];
    for (std::int64_t left = dice.between(1, 3); left > 0; --left) {
      const auto earlier =
          static_cast<std::uint64_t>(dice.between(1, static_cast<std::int64_t>(job.id.raw) - 1));
      start.after.push_back({JobId{earlier}, static_cast<Awaited>(dice.between(0, 3))});
    }
    if (dice.in(30)) start.begin = job.submitted + Duration{dice.between(0, 600) * kMillion};
  }
}

// Likewise: what jobs use of their memory goes up and down, and what they do not use is lent to others.
void draw_memory(Dice dice, Scenario& scenario) {
  if (dice.in(50)) return;
  scenario.model.memory_kept_ppm = dice.between(5, 10) * 100'000;
  const std::int64_t longest = std::max<std::int64_t>(2 * scenario.workload.jobs.back().submitted.raw, 1);
  for (const WorkloadJob& job : scenario.workload.jobs) {
    if (!dice.in(70)) continue;
    for (std::int64_t left = dice.between(1, 6); left > 0; --left)
      scenario.memory_used[job.id][job.submitted + Duration{dice.between(0, longest)}] =
          dice.in(40) ? 100 : dice.between(1, 100);
  }
}

// An array may wait for members of the one before, which have lower numbers.
void draw_waits_for_members(Dice& dice, Scenario& scenario) {
  for (const auto& [array, terms] : scenario.workload.arrays)
    for (const WorkloadJob& job : scenario.workload.jobs)
      if (job.id.raw > array.raw && dice.in(60))
        scenario.workload.starts[job.id].after.push_back(
            {array, static_cast<Awaited>(dice.between(0, 3)),
             static_cast<std::uint32_t>(dice.between(0, count_of(terms.indices) - 1))});
}

// Likewise: some arrays, whose members get the numbers between theirs and the next one's.
void draw_arrays(Dice dice, Scenario& scenario) {
  if (dice.in(50)) return;
  std::vector<WorkloadJob>& jobs = scenario.workload.jobs;
  constexpr std::uint64_t kNumbersOfEach = 1000;
  std::uint64_t number = jobs.size() + 1;
  for (std::int64_t left = dice.between(1, 2); left > 0; --left, number += kNumbersOfEach) {
    const auto beside =
        static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(jobs.size()) - 1));
    WorkloadJob job = draw_job(dice, number, jobs[beside].submitted, scenario.shape);
    for (const NodeKind& kind : scenario.shape.kinds)
      job.submission.demand.tasks = std::min(job.submission.demand.tasks, kind.count);
    ArrayTerms& array = scenario.workload.arrays[job.id];
    array.indices = {{0, static_cast<std::uint32_t>(dice.between(1, 30)), 1}};
    array.at_once = static_cast<std::uint32_t>(dice.between(1, 8));
    if (dice.in(20)) scenario.cancels[job.id] = job.submitted + Duration{dice.between(0, 3'000) * kMillion};
    if (dice.in(30)) scenario.workload.starts[job.id].begin = job.submitted + seconds(dice.between(1, 600));
    jobs.push_back(job);
  }
  std::ranges::sort(jobs, {}, [](const WorkloadJob& job) { return std::pair(job.submitted, job.id); });
  draw_waits_for_members(dice, scenario);
}

// Likewise: some jobs may take so long and no longer, and some tasks are told before a limit.
void draw_limits(Dice dice, Scenario& scenario) {
  if (dice.in(50)) return;
  for (const WorkloadJob& job : scenario.workload.jobs) {
    if (!dice.in(30)) continue;
    const std::int64_t longest = 3 * job.runtime().raw + 60 * kMillion;
    WallTerms& limits = scenario.workload.limits[job.id];
    if (dice.in(70)) limits.wall_limit = Duration{dice.between(1, longest)};
    if (dice.in(70)) limits.warn = Duration{dice.between(1, longest / 2)};
  }
}

// Half of the scenarios have fair share among a few users.
void draw_users(Dice dice, Scenario& scenario) {
  if (dice.in(50)) return;
  scenario.half_life = Duration{dice.between(seconds(60).raw, seconds(7'200).raw)};
  for (WorkloadJob& job : scenario.workload.jobs)
    job.submission.user = static_cast<std::uint32_t>(dice.between(1, 4));
}

// Half of the scenarios have limits of a few accounts, some below others, and some of these reserve or
// limit yields. No job asks for more than its account may have, so that all of them end; a limit is raised
// in the middle of the run.
void draw_accounts(Dice dice, Scenario& scenario) {
  if (dice.in(50)) return;
  Amounts largest;
  Instant last;
  const auto raise = [&](const Demand& demand, std::uint32_t tasks, Cpu need) {
    Demand most = demand;
    most.need = need;
    const Amounts its = amounts_of(most, tasks);
    for (const LimitKind kind : all_limit_kinds())
      largest.of(kind) = std::max(largest.of(kind), its.of(kind));
  };
  for (WorkloadJob& job : scenario.workload.jobs) {
    job.submission.account = static_cast<std::uint32_t>(dice.between(0, 2));
    std::uint32_t tasks = job.submission.demand.tasks;
    for (const auto& [at, size] : scenario.sizes[job.id]) tasks = std::max(tasks, size.tasks);
    Cpu need = job.submission.demand.need;
    for (const auto& [at, later] : scenario.needs[job.id]) need = std::max(need, later.need);
    raise(job.submission.demand, tasks, need);
    last = std::max(last, job.submitted);
  }
  scenario.workload.accounts = {"", "a", "b"};
  std::vector<AccountTerms> accounts{{"all"}, {"a", "all"}, {"b", "all"}};
  for (AccountTerms& account : accounts)
    for (const LimitKind kind : {LimitKind::jobs, LimitKind::tasks, LimitKind::cpu, LimitKind::memory})
      if (dice.in(30)) {
        auto& limits = dice.in(30) ? account.each_user : account.limits;
        limits[kind] = std::max<std::int64_t>(1, largest.of(kind)) * dice.between(1, 4);
      }
  for (AccountTerms& account : accounts) {
    if (dice.in(30)) account.min_yield = Yield{dice.between(1, 3) * kMillion / 10};
    if (dice.in(30)) account.max_yield = Yield{dice.between(3, 9) * kMillion / 10};
  }
  scenario.accounts[Instant{}] = accounts;
  for (AccountTerms& account : accounts)
    for (auto& [kind, most] : account.limits) most *= 2;
  scenario
      .accounts[Instant{} + Duration{dice.between(1, std::max<std::int64_t>(2, (last - Instant{}).raw))}] =
      accounts;
}

// Half of the scenarios have maintenance windows, which may overlap, and drains that are announced. A node
// that an operator drains has a window at the end of that: then something is due, and it is put back. Some
// jobs more can be neither saved nor moved, and have limits.
void draw_maintenance(Dice dice, Scenario& scenario) {
  if (dice.in(50)) return;
  const std::int64_t longest = std::max<std::int64_t>(2 * scenario.workload.jobs.back().submitted.raw, 2);
  const auto node = [&] {
    return NodeId{static_cast<std::uint32_t>(dice.between(0, scenario.shape.nodes - 1))};
  };
  const auto mode = [&] { return static_cast<DrainMode>(dice.between(0, 2)); };
  for (std::int64_t left = dice.between(1, 3); left > 0; --left) {
    MaintenanceWindow window;
    window.name = "w" + std::to_string(left);
    window.nodes = {node()};
    if (dice.in(50)) window.nodes.push_back(node());
    window.from = Instant{} + Duration{dice.between(1, longest)};
    window.to = window.from + Duration{dice.between(1, 1'000 * kMillion)};
    window.lead = Duration{dice.between(0, std::min<std::int64_t>(window.from.raw, 600 * kMillion))};
    window.mode = mode();
    scenario.windows.push_back(std::move(window));
  }
  for (std::int64_t left = dice.between(0, 2); left > 0; --left) {
    const NodeId drained = node();
    const Instant begin = Instant{} + Duration{dice.between(1, longest)};
    const Instant end = begin + Duration{dice.between(1, 1'000 * kMillion)};
    scenario.announced[drained] = Drain{mode(), end, begin, "its operator"};
    scenario.windows.push_back({"after" + std::to_string(left), {drained}, end, end + seconds(1), {}});
  }
  for (WorkloadJob& job : scenario.workload.jobs) {
    if (!dice.in(20)) continue;
    job.submission.demand.movable = false;
    if (dice.in(60)) scenario.workload.limits[job.id].wall_limit = job.runtime() * dice.between(1, 3);
  }
}

// Half of the scenarios have a budget of moves, a cool-down after them, or both.
void draw_moves(Dice dice, Scenario& scenario) {
  if (dice.in(50)) return;
  if (dice.in(60)) scenario.moves.at_a_time = static_cast<std::uint32_t>(dice.between(1, 3));
  if (dice.in(70)) scenario.moves.cool_down = Duration{dice.between(1, 900 * kMillion)};
}

}  // namespace

Scenario draw_scenario(std::uint64_t seed) {
  Dice dice(seed);
  Scenario scenario;
  scenario.seed = seed;
  scenario.faults = static_cast<FaultLevel>(seed % 4);
  scenario.shape.nodes = static_cast<std::uint32_t>(dice.between(1, 8));
  const std::int64_t jobs = dice.between(5, 60);
  const std::int64_t pace = dice.between(1, 600) * kMillion;  // the longest gap between two submissions
  Instant at;
  for (std::int64_t number = 1; number <= jobs; ++number) {
    // Many jobs at the same instant, some exactly at a tick.
    if (dice.in(70)) at = at + Duration{dice.between(0, pace)};
    if (dice.in(10)) at = {(at.raw / seconds(600).raw + 1) * seconds(600).raw};
    scenario.workload.jobs.push_back(
        draw_job(dice, static_cast<std::uint64_t>(number), at, scenario.shape));
    if (dice.in(5))
      scenario.cancels[{static_cast<std::uint64_t>(number)}] = at + Duration{dice.between(0, pace * 4)};
  }
  scenario.model.seed = seed;
  draw_faults(dice, scenario, at);
  draw_later_additions(Dice(~seed), scenario);
  draw_fences(Dice(~seed + 1), scenario);
  draw_kinds(Dice(~seed + 2), scenario);
  draw_networks(Dice(~seed + 3), scenario);
  draw_local_saves(Dice(~seed + 4), scenario);
  draw_needs(Dice(~seed + 5), scenario);
  draw_power(Dice(~seed + 6), scenario);
  draw_sizes(Dice(~seed + 7), scenario);
  draw_announcements(Dice(~seed + 8), scenario);
  draw_starts(Dice(~seed + 9), scenario);
  draw_memory(Dice(~seed + 10), scenario);
  draw_arrays(Dice(~seed + 11), scenario);
  draw_limits(Dice(~seed + 12), scenario);
  draw_users(Dice(~seed + 13), scenario);
  draw_accounts(Dice(~seed + 14), scenario);
  draw_maintenance(Dice(~seed + 15), scenario);
  draw_moves(Dice(~seed + 16), scenario);
  return scenario;
}

const char* name(FaultLevel faults) {
  constexpr const char* names[] = {"no faults", "delays", "failures", "losses"};
  return names[static_cast<std::size_t>(faults)];
}

}  // namespace aliquot
