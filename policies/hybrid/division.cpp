#include "policies/hybrid/division.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {
namespace {

constexpr std::string_view kKey = "hybrid ";
constexpr std::int64_t kLongestState = 1 << 30;

std::optional<Instant> earlier(std::optional<Instant> a, std::optional<Instant> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// Older stores have kept P's state alone.
HybridState::Part state_of_shares(const PolicyMemory& memory) {
  const auto* const state = memory.state_as<HybridState>();
  return state ? state->shares() : nullptr;
}

// The view for a policy with this state, without its jobs and their index.
ClusterView without_jobs(const ClusterView& view, HybridState::Part state) {
  ClusterView copy;
  copy.now = view.now;
  copy.cause = view.cause;
  copy.next_tick = view.next_tick;
  copy.costs = view.costs;
  copy.nodes = view.nodes;
  copy.device_models = view.device_models;
  copy.memory = view.memory;
  copy.memory.state = std::move(state);
  return copy;
}

// The job as what it holds at any yield: its memory and its guaranteed CPU.
Job held_for_certain(Job job) {
  job.demand.need = guaranteed_cpu(job.demand);
  job.demand.min_yield = kFullYield;
  job.yield = kFullYield;
  job.pinned = true;
  return job;
}

// When a policy with this period, counted from the beginning of time, is due next.
Instant next_multiple(Instant now, Duration period) {
  return Instant{} + period * ((now - Instant{}).raw / period.raw + 1);
}

std::vector<Change> joined_changes(const ClusterView& view, std::vector<Change> shared,
                                   std::vector<Change> placed) {
  const auto of = [](std::vector<Change>& changes, JobId job) {
    const auto at = std::ranges::lower_bound(changes, job, {}, &Change::job);
    return at != changes.end() && at->job == job ? &*at : nullptr;
  };
  for (Change& change : shared) {
    if (!is_constrained(view.jobs.at(change.job).demand)) continue;
    const Change* fresh = of(placed, change.job);
    change.devices = fresh ? fresh->devices : view.jobs.at(change.job).devices;
  }
  std::erase_if(placed, [&](const Change& change) { return of(shared, change.job) != nullptr; });
  std::ranges::move(placed, std::back_inserter(shared));
  std::ranges::sort(shared, {}, &Change::job);
  return shared;
}

HybridState::Part both(HybridState::Part places, HybridState::Part shares) {
  if (!places && !shares) return nullptr;
  return std::make_shared<HybridState>(std::move(places), std::move(shares));
}

}  // namespace

std::string HybridState::encode() const {
  const std::string places = encode_policy_state(places_);
  return std::string(kKey) + std::to_string(places.size()) + ' ' + places + encode_policy_state(shares_);
}

HybridState::Part HybridState::decode(std::string_view text) {
  if (!text.starts_with(kKey)) return nullptr;
  text.remove_prefix(kKey.size());
  const std::size_t digits = text.find(' ');
  const auto length = whole_number(text.substr(0, digits), 0, kLongestState);
  if (!length || text.size() - digits - 1 < static_cast<std::size_t>(*length)) return nullptr;
  text.remove_prefix(digits + 1);
  const auto places = static_cast<std::size_t>(*length);
  return both(decode_policy_state(text.substr(0, places)), decode_policy_state(text.substr(places)));
}

// Older stores have kept it alone.
HybridState::Part state_of_places(const PolicyMemory& memory) {
  const auto* const state = memory.state_as<HybridState>();
  return state ? state->places() : memory.state;
}

ClusterView placing_view(const ClusterView& view, std::optional<Duration> period, bool others_in_the_way) {
  ClusterView placing = without_jobs(view, state_of_places(view.memory));
  std::erase_if(placing.cause.arrived, [&](JobId id) { return !is_constrained(view.jobs.at(id).demand); });
  if (period) {
    // A real clock wakes it a little after the instant that it asked for.
    placing.cause.tick = view.cause.woken || (view.now - Instant{}).raw % period->raw == 0;
    placing.next_tick = next_multiple(view.now, *period);
  }
  for (const auto& [id, job] : view.jobs) {
    if (is_constrained(job.demand))
      placing.jobs.emplace(id, job);
    else if (!job.placement.empty() && (others_in_the_way || job.pinned || !job.demand.movable))
      placing.jobs.emplace(id, held_for_certain(job));
  }
  return placing;
}

Job placed_by(Job job, const Change& change, const ClusterView& view) {
  job.progress.set_rate(view.now, change.yield);
  if (job.phase != Phase::waiting) job.progress.stall(view.now, view.costs.restart);
  job.placement = change.placement;
  job.devices = change.devices;
  job.yield = change.yield;
  job.phase = Phase::running;
  return job;
}

ClusterView sharing_view(const ClusterView& view, const Plan& placed) {
  ClusterView sharing = without_jobs(view, state_of_shares(view.memory));
  std::erase_if(sharing.cause.arrived, [&](JobId id) { return is_constrained(view.jobs.at(id).demand); });
  sharing.cause.disturbed = sharing.cause.disturbed || !placed.changes.empty();
  auto change = placed.changes.begin();
  for (const auto& [id, job] : view.jobs) {
    while (change != placed.changes.end() && change->job < id) ++change;
    if (!is_constrained(job.demand)) {
      sharing.jobs.emplace(id, job);
      continue;
    }
    const bool changes = change != placed.changes.end() && change->job == id;
    Job placed_job = changes ? placed_by(job, *change, view) : job;
    if (placed_job.placement.empty()) continue;
    placed_job.pinned = true;
    sharing.jobs.emplace(id, std::move(placed_job));
  }
  return sharing;
}

bool any_waits(const ClusterView& view, const Plan& plan) {
  return std::any_of(view.jobs.begin(), view.jobs.end(), [&](const auto& entry) {
    const Job& job = entry.second;
    if (!job.placement.empty() || job.held || !is_constrained(job.demand)) return false;
    const auto change = std::ranges::lower_bound(plan.changes, job.id, {}, &Change::job);
    return change == plan.changes.end() || change->job != job.id;
  });
}

void keep_moves(Plan& placed, const ClusterView& view) {
  std::erase_if(placed.changes, [&](const Change& change) {
    const Job& job = view.jobs.at(change.job);
    return !is_constrained(job.demand) || job.placement == change.placement;
  });
}

Plan joined(const ClusterView& view, Plan shared, Plan placed) {
  Plan plan = std::move(shared);
  plan.changes = joined_changes(view, std::move(plan.changes), std::move(placed.changes));
  plan.memory.state = both(std::move(placed.memory.state), std::move(plan.memory.state));
  plan.memory.reservations.merge(placed.memory.reservations);
  plan.wake_at = earlier(plan.wake_at, placed.wake_at);
  return plan;
}

bool fits(const ClusterView& view, const Plan& plan) {
  struct Occupied {
    Memory memory;
    Cpu cpu;
    bool gains = false;
  };
  std::vector<Occupied> held(view.nodes.size());
  auto change = plan.changes.begin();
  for (const auto& [id, job] : view.jobs) {
    const bool changes = change != plan.changes.end() && change->job == id;
    const Cpu each = job.demand.need * (changes ? change->yield : job.yield);
    for (const Share& share : changes ? change->placement : job.placement) {
      Occupied& node = held[share.node.raw];
      node.memory += job.demand.memory * share.units;
      node.cpu += each * share.units;
      node.gains = node.gains || changes;
    }
    if (changes) ++change;
  }
  return std::ranges::all_of(view.nodes, [&](const Node& node) {
    const Occupied& all = held[node.id.raw];
    return !all.gains || (all.memory <= node.memory && all.cpu <= node.capacity);
  });
}

Plan sharing_alone(const Policy& shares, const ClusterView& view) {
  Plan none;
  none.memory.state = state_of_places(view.memory);
  return joined(view, shares.decide(sharing_view(view, {})), std::move(none));
}

void wake_for(const Policy& places, const ClusterView& view, Plan& plan) {
  if (places.period() && any_waits(view, plan))
    plan.wake_at = earlier(plan.wake_at, next_multiple(view.now, *places.period()));
}

Result<HybridParts> hybrid_parts(const PolicyName& name) {
  const std::string word(name.word);
  std::string_view text = trimmed(name.rest);
  if (!text.starts_with('(') || !text.ends_with(')'))
    return refuse(name.text, "write " + word +
                                 "(P,Q): P places jobs with devices, Q shares the rest; for example " +
                                 word + "(IPSCHED,DYNMCB8-ASAP-PER-600+match)");
  text.remove_prefix(1);
  text.remove_suffix(1);
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] != ',' || depth != 0) continue;
    return HybridParts{std::string(trimmed(text.substr(0, i))), std::string(trimmed(text.substr(i + 1)))};
  }
  return refuse(name.text, "two policies stand in the brackets, with a comma between them");
}

}  // namespace aliquot
