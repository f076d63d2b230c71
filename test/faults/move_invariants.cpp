#include <algorithm>
#include <set>

#include "test/faults/invariants.hpp"

namespace aliquot {
namespace {

std::string job_name(JobId job) { return "job " + std::to_string(job.raw); }

bool takes_jobs(const ClusterView& view, const Share& share) { return view.nodes[share.node.raw].usable(); }

bool is_moved(const Vm& vm) { return migrates(vm) && !vm.unclear; }

}  // namespace

// A job that is held may leave its nodes early, and so may one of which a node is drained or does not
// answer, that has lost its place because others on its node have more memory or a larger need, or whose
// VMs another program has moved.
void Invariants::note_excuses(const Step& step, const Cluster& cluster) {
  const ClusterView& view = cluster.view();
  const auto takes = [&](const Share& share) { return takes_jobs(view, share); };
  std::set<JobId> was_nowhere;
  for (const auto& [id, before] : placements_)
    if (before.empty()) was_nowhere.insert(id);
  for (const auto& [id, job] : view.jobs) {
    Placement& before = placements_[id];
    if (job.held || !std::ranges::all_of(before, takes) || !std::ranges::all_of(job.placement, takes))
      excused_[id] = step.now;
    before = job.placement;
  }
  if (step.decision)
    for (const JobId id : step.decision->cause.arrived)
      if (!was_nowhere.contains(id)) excused_[id] = step.now;
  for (const Event& event : step.events)
    if (const auto* moved = std::get_if<ForeignMove>(&event)) excused_[moved->job] = step.now;
}

// A VM is not moved within the cool-down after its last move, each of which in a row is twice as long.
void Invariants::check_move(const Step& step, const Migrate& action, const JobRecord& record) {
  constexpr std::uint32_t most_in_a_row = 7;
  const auto length = [&](std::uint32_t moves) {
    return scenario_.moves.cool_down * (std::int64_t{1} << (moves - 1));
  };
  const auto excused = excused_.find(action.job);
  for (std::uint32_t k = 0; k < action.tasks.count; ++k) {
    const std::uint32_t task = action.tasks.first + k;
    const Vm& vm = record.vms[task];
    const auto [at, first] = moved_.try_emplace({action.job, task});
    Moved& last = at->second;
    const bool is_known = !first && last.incarnation == vm.incarnation;
    if (is_known && last.from == vm.node) continue;  // it has not left it yet, or has come back otherwise
    const bool is_excused = excused != excused_.end() && excused->second >= last.at;
    if (is_known && !is_excused && step.now < last.until)
      say(step.now, job_name(action.job) + ": task " + std::to_string(task) + " is moved in its cool-down");
    const bool in_a_row = is_known && !is_excused && step.now - last.until < length(last.moves);
    const std::uint32_t moves = in_a_row ? std::min(last.moves + 1, most_in_a_row) : 1;
    last = {vm.incarnation, vm.node, moves, step.now, step.now + length(moves)};
  }
}

void Invariants::check_moves(const Step& step, const Cluster& cluster) {
  if (scenario_.moves == MoveTerms{}) return;
  const ClusterView& view = cluster.view();
  note_excuses(step, cluster);
  for (const Action& action : step.actions)
    if (const auto* migrate = std::get_if<Migrate>(&action))
      if (const JobRecord* record = cluster.record(migrate->job)) check_move(step, *migrate, *record);
  std::int64_t moved = 0;
  for (const auto& [id, record] : cluster.state().records)
    moved += std::ranges::count_if(record.vms, is_moved);
  if (scenario_.moves.at_a_time > 0 && moved > scenario_.moves.at_a_time)
    say(step.now, std::to_string(moved) + " VMs are moved at a time");
  for (const auto& [id, job] : view.jobs) {
    const JobRecord& record = *cluster.record(id);
    const bool may_leave =
        job.held || job.phase != Phase::running ||
        !std::ranges::all_of(job.placement, [&](const Share& share) { return takes_jobs(view, share); });
    const bool is_early = record.cool_down.until > view.now;
    if (is_early && !may_leave && !job.pinned)
      say(step.now, job_name(id) + " is to cool down, and may move");
    if (job.cools_down && (may_leave || !job.pinned || !(is_early || any_migrates(record))))
      say(step.now, job_name(id) + " cools down without a reason");
  }
}

}  // namespace aliquot
