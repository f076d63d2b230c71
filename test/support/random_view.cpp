#include "test/support/random_view.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "policies/model/hypervisor_kind.hpp"

namespace aliquot::test {

namespace {

struct Taken {
  Memory memory;
  Cpu load;
  Cpu guaranteed;
};

std::vector<Node> random_nodes(Dice& dice, const ViewShape& shape) {
  std::vector<Node> nodes(static_cast<std::size_t>(dice.between(1, shape.most_nodes)));
  const bool unlike = !shape.plain && dice.chance(50);
  const std::int64_t cores_each = dice.between(1, 4);
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const std::int64_t count = unlike ? dice.between(1, 6) : cores_each;
    nodes[n] = {{n},           std::string("n").append(std::to_string(n)), cores(count), mebibytes(1000),
                NodeState::up, static_cast<std::uint32_t>(count)};
    if (unlike && dice.chance(50)) nodes[n].capacity = {count * 1'250'001};
    if (unlike) nodes[n].memory = mebibytes(dice.between(3, 20) * 100);
    if (shape.plain || !dice.chance(12)) continue;
    const auto what = dice.between(1, 3);
    if (what == 1) nodes[n].service = NodeService::draining;
    if (what == 2) nodes[n].state = NodeState::suspect;
    if (what == 3) nodes[n].state = NodeState::down;
  }
  return nodes;
}

// Puts the job somewhere if it fits there by the laws; false: it does not.
bool place_job(Dice& dice, const ClusterView& view, std::vector<Taken>& taken, Job& job) {
  std::vector<std::uint32_t> units(view.nodes.size(), 0);
  const Cpu guaranteed = job.demand.need * job.demand.min_yield + Cpu{1};  // rounded up
  std::vector<Taken> next = taken;
  for (std::uint32_t task = 0; task < job.demand.tasks; ++task) {
    const auto n = static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(units.size()) - 1));
    next[n].memory += job.demand.memory;
    next[n].load += job.demand.need;
    next[n].guaranteed += guaranteed;
    ++units[n];
    if (next[n].memory > view.nodes[n].memory || next[n].guaranteed > view.nodes[n].capacity) return false;
    if (view.nodes[n].state == NodeState::down) return false;
  }
  taken = next;
  for (std::uint32_t n = 0; n < units.size(); ++n) {
    if (units[n] > 0) job.placement.push_back({{n}, units[n]});
  }
  return true;
}

// A lawful yield for all: the guarantee and an equal part of what it leaves over, on the worst node.
void share(ClusterView& view, const std::vector<Taken>& taken) {
  Yield extra = kFullYield;
  for (std::size_t n = 0; n < taken.size(); ++n) {
    if (taken[n].load.raw == 0) continue;
    extra = std::min(extra, yield_for(view.nodes[n].capacity - taken[n].guaranteed, taken[n].load));
  }
  for (auto& [id, job] : view.jobs) {
    if (job.placement.empty()) continue;
    job.yield = std::clamp(job.demand.min_yield + extra, Yield{1}, kFullYield);
    job.progress.rate = job.yield;
  }
}

void mark(Dice& dice, const ClusterView& view, Job& job) {
  if (dice.chance(10)) job.held = true;
  if (job.placement.empty()) return;
  if (dice.chance(8) || !job.demand.movable) job.pinned = true;
  for (const Share& s : job.placement) {
    if (view.nodes[s.node.raw].state == NodeState::suspect) job.pinned = true;
  }
  if (dice.chance(10)) job.in_flight = true;
}

DeviceDemand random_devices(Dice& dice) {
  DeviceDemand demand{static_cast<std::uint16_t>(dice.between(1, 3)), kWholeDevice, kAnyModel};
  if (dice.chance(50)) demand.models = DeviceModel{static_cast<std::uint16_t>(dice.between(0, 2))};
  if (dice.chance(20)) demand.models.add({static_cast<std::uint16_t>(dice.between(0, 2))});
  if (dice.chance(30)) demand = {1, static_cast<std::uint16_t>(dice.between(1, 10) * 100), demand.models};
  return demand;
}

// A job that stands gets devices where it stands, if there are any; one that waits or is paused asks for
// something.
void constrain(Dice& dice, const ClusterView& view, FreeDevices& free, Job& job) {
  const bool stands = !job.placement.empty();
  Demand& demand = job.demand;
  if (dice.chance(40)) {
    demand.spread.max_nodes = static_cast<std::uint32_t>(job.placement.size() + 2);
    if (!stands) demand.spread = {1, 3, static_cast<std::uint32_t>(dice.between(0, 2)), dice.chance(50)};
    return;
  }
  const DeviceDemand devices = random_devices(dice);
  std::vector<DeviceSet> held;
  for (const Share& share : job.placement) {
    const Node& node = view.nodes[share.node.raw];
    const auto picked = pick_devices(node, free.on(share.node), devices);
    if (!picked) return;
    held.push_back(*picked);
  }
  if (!stands && job.phase != Phase::waiting) return;  // what holds a device is never paused
  demand.devices = devices;
  demand.movable = false;
  job.devices = std::move(held);
  free.take(job);
  if (stands) job.pinned = true;
}

// After all the rest, with dice of its own: without devices the same view.
void add_devices(Dice& dice, ClusterView& view) {
  view.device_models = {"V100", "T4", "A100-1g"};
  for (Node& node : view.nodes) {
    if (dice.chance(30)) continue;
    const DeviceModel model{static_cast<std::uint16_t>(dice.between(0, 2))};
    node.devices.assign(static_cast<std::size_t>(dice.between(1, 4)), {model});
    if (dice.chance(20)) node.devices.front() = {{0}, 500};
  }
  FreeDevices free(view.nodes);
  for (auto& [id, job] : view.jobs)
    if (dice.chance(35)) constrain(dice, view, free, job);
}

Job random_job(Dice& dice, ClusterView& view, std::vector<Taken>& taken, const ViewShape& shape, JobId id) {
  Job job;
  job.id = id;
  job.demand = random_demand(dice, view.nodes[id.raw % view.nodes.size()], shape);
  job.submitted = view.now - seconds(dice.between(0, 900));
  job.phase_since = job.submitted;
  job.progress.since = view.now;
  const bool has_run = dice.chance(60);
  if (has_run) {
    job.phase = Phase::paused;
    if (dice.chance(85)) job.progress.accrued = Duration{dice.between(1, 400'000'000)} * kFullYield;
    if (dice.chance(70) && place_job(dice, view, taken, job)) job.phase = Phase::running;
    if (dice.chance(10)) job.progress.stalled_until = view.now + seconds(dice.between(1, 300));
  }
  if (!shape.plain) mark(dice, view, job);
  return job;
}

}  // namespace

std::uint64_t Dice::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::int64_t Dice::between(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
}

Demand random_demand(Dice& dice, const Node& node, const ViewShape& shape) {
  Demand demand;
  demand.tasks = static_cast<std::uint32_t>(dice.chance(50) ? 1 : dice.between(2, 6));
  if (dice.chance(50)) {  // the paper's distribution (DFRS, IV-C)
    demand.need = {demand.tasks == 1 ? node.capacity.raw / 4 : node.capacity.raw};
    demand.memory = {node.memory.raw / 10 * (dice.chance(55) ? 1 : dice.between(2, 10))};
  } else {
    demand.need = {dice.between(1, 2'500'000)};
    demand.memory = {dice.between(1, mebibytes(700).raw)};
  }
  if (dice.chance(60)) demand.estimate = Duration{dice.between(1, 600'000'000)};
  if (shape.plain) return demand;
  if (dice.chance(25)) demand.min_yield = {dice.between(1, kMillion)};
  if (dice.chance(5)) demand.memory = mebibytes(100'000);  // never fits
  if (dice.chance(5)) demand.movable = false;
  return demand;
}

// Some jobs grow and shrink. On dice of their own: the rest of the view is as without.
static void add_steps(Dice dice, ClusterView& view) {
  for (auto& [id, job] : view.jobs) {
    if (is_constrained(job.demand) || !dice.chance(40)) continue;
    VirtualTime work = job.progress.accrued;
    for (std::int64_t step = dice.between(1, 4); step > 0; --step) {
      work = work + Duration{dice.between(0, 100'000'000)} * kFullYield;
      job.later.push_back({static_cast<std::uint32_t>(dice.between(1, 6)), work, {}});
    }
    if (dice.chance(30)) job.later.insert(job.later.begin(), {job.demand.tasks + 1, {}, {}});
    if (dice.chance(30)) job.later.push_back({1, {}, view.now + seconds(dice.between(0, 600))});
  }
}

ClusterView random_view(std::uint64_t seed, const ViewShape& shape) {
  Dice dice(seed);
  ClusterView view;
  view.now = Instant{seconds(1000).raw + dice.between(0, 1'000'000)};
  view.nodes = random_nodes(dice, shape);
  view.costs.restart = seconds(dice.between(0, 300));
  std::vector<Taken> taken(view.nodes.size());
  const auto count = static_cast<std::uint64_t>(dice.between(0, shape.most_jobs));
  for (std::uint64_t k = 1; k <= count; ++k) {
    const JobId id{k * static_cast<std::uint64_t>(dice.between(1, 3)) + 10 * k};
    view.jobs[id] = random_job(dice, view, taken, shape, id);
  }
  share(view, taken);
  for (const auto& [id, job] : view.jobs) {
    if (job.phase != Phase::waiting || job.held) continue;
    if (dice.chance(40)) {
      view.cause.arrived.push_back(id);
    } else if (dice.chance(50)) {
      const auto failures = static_cast<std::uint32_t>(dice.between(1, 20));
      view.memory.retries[id] = {failures, view.now + seconds(dice.between(-5, 30))};
    }
  }
  view.cause.completed = dice.chance(40);
  view.cause.tick = dice.chance(40);
  view.cause.woken = dice.chance(20);
  view.cause.disturbed = dice.chance(20);
  view.next_tick = view.now + Duration{dice.between(1, 600'000'000)};
  Dice others(~seed);
  if (!shape.plain && seed % 3 == 1) add_devices(others, view);
  if (!shape.plain) add_steps(Dice(seed ^ 0x7374657073ULL), view);
  return view;
}

ClusterView mixed_view(std::uint64_t seed, const ViewShape& shape) {
  Dice dice(seed ^ 0x6b696e6473ULL);
  ClusterView view = random_view(seed, shape);
  const auto any = [&] { return dice.chance(50) ? HypervisorKind::xen : HypervisorKind::libvirt; };
  for (Node& node : view.nodes) node.hypervisor = any();
  for (bool changed = true;
       changed;) {  // until no job stands on nodes of two kinds: ever more are libvirt's
    changed = false;
    for (const auto& [id, job] : view.jobs) {
      HypervisorKind kind = HypervisorKind::xen;
      for (const Share& share : job.placement) kind = std::min(kind, view.nodes[share.node.raw].hypervisor);
      for (const Share& share : job.placement) {
        changed = changed || view.nodes[share.node.raw].hypervisor != kind;
        view.nodes[share.node.raw].hypervisor = kind;
      }
    }
  }
  for (auto& [id, job] : view.jobs) {
    if (!job.placement.empty())
      job.bound = view.nodes[job.placement.front().node.raw].hypervisor;
    else if (job.phase == Phase::paused || dice.chance(10))  // of what waits, VMs may still be destroyed
      job.bound = any();
  }
  return view;
}

ClusterView tied_view(std::uint64_t seed, const ViewShape& shape) {
  Dice dice(seed ^ 0x74696564ULL);
  ClusterView view = random_view(seed, shape);
  for (Node& node : view.nodes) node.keeps_saves = dice.chance(80);
  for (auto& [id, job] : view.jobs) {
    if (job.phase != Phase::paused || is_constrained(job.demand) || !dice.chance(80)) continue;
    std::map<std::uint32_t, std::uint32_t> units;
    const auto last = static_cast<std::int64_t>(view.nodes.size()) - 1;
    for (std::uint32_t task = 0; task < job.demand.tasks; ++task)
      ++units[static_cast<std::uint32_t>(dice.between(0, last))];
    for (const auto& [node, count] : units) job.tied_to.push_back({{node}, count});
  }
  return view;
}

ClusterView sleeping_view(std::uint64_t seed, const ViewShape& shape) {
  Dice dice(seed ^ 0x736c6565ULL);
  ClusterView view = random_view(seed, shape);
  std::vector<bool> held(view.nodes.size(), false);
  for (const auto& [id, job] : view.jobs)
    for (const Share& share : job.placement) held[share.node.raw] = true;
  for (Node& node : view.nodes)
    if (!held[node.id.raw] && dice.chance(50)) node.power = static_cast<NodePower>(dice.between(1, 3));
  return view;
}

ClusterView closing_view(std::uint64_t seed, const ViewShape& shape) {
  Dice dice(seed ^ 0x636c6f73ULL);
  ClusterView view = random_view(seed, shape);
  const auto span = [&] { return seconds(dice.between(1, 4) * 600); };
  for (const Node& node : view.nodes) {
    if (!dice.chance(60)) continue;
    const Instant from = view.now + span();
    view.closings.push_back({node.id, from, from + span(), "w" + std::to_string(node.id.raw)});
  }
  for (auto&& [id, job] : view.jobs) {
    if (job.placement.empty() && job.phase == Phase::waiting && dice.chance(50)) job.demand.movable = false;
    if (job.demand.movable) continue;
    if (dice.chance(40)) job.wall_limit = span();
    if (dice.chance(40)) job.time_limit = span();
  }
  if (view.index.kept()) view.index.rebuild(view);
  return view;
}

void adopt(ClusterView& view, const Plan& plan) {
  view.cause = {};
  view.memory = plan.memory;
  for (const Change& change : plan.changes) {
    Job& job = view.jobs.at(change.job);
    const bool moved = job.placement != change.placement;
    job.progress.set_rate(view.now, change.yield);
    if (moved && job.phase != Phase::waiting && !change.placement.empty()) {
      job.progress.stall(view.now, view.costs.restart);
    }
    if (!change.placement.empty()) {
      job.phase = Phase::running;
      job.tied_to.clear();
    } else if (job.phase == Phase::running) {
      job.phase = Phase::paused;
      if (any_keeps_saves(view.nodes, job.placement)) job.tied_to = job.placement;
    }
    job.placement = change.placement;
    job.yield = change.yield;
    job.devices = change.devices;
    if (!job.placement.empty() && !has_one_kind(view)) job.bound = bound_kind(view, job);
    if (moved) job.phase_since = view.now;
  }
}

ClusterView after(ClusterView view, const Plan& plan) {
  adopt(view, plan);
  return view;
}

}  // namespace aliquot::test
