#include "test/faults/invariants.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "manager/core/pause_together.hpp"
#include "manager/core/ties.hpp"
#include "manager/core/time_limits.hpp"
#include "monitor/codec_step.hpp"
#include "test/support/index_check.hpp"
#include "test/support/pending_work_reference.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kShown = 20;

std::string job_name(JobId id) { return "job " + std::to_string(id.raw); }

// A job progresses at the lowest cap of its tasks, and only while all of them run but those that have yet
// to join it, and their nodes answer. If it lacks tasks for a step of its profile, it is given that part.
Yield rate_of(const JobRecord& record) {
  if (record.silence) return {};
  Yield rate = kFullYield;
  const auto joins = [](const Vm& vm) { return vm.joins || vm.state == VmState::ended; };
  if (std::ranges::any_of(record.vms, &Vm::joins) && std::ranges::all_of(record.vms, joins)) return {};
  for (const Vm& vm : record.vms) {
    if (joins(vm)) continue;
    const bool saving = vm.flight && vm.flight->kind == ActionKind::save;
    if (vm.state != VmState::running || saving) return {};
    rate = std::min(rate, vm.cap);
  }
  if (!record.evolution.by_profile) return rate;
  std::int64_t has = 0, wanted = record.evolution.growth;
  for (const Vm& vm : record.vms) {
    if (!joins(vm)) ++has;
    if (stays(vm)) ++wanted;
  }
  return has >= wanted ? rate : Yield{rate.raw * has / wanted};
}

}  // namespace

void Invariants::say(Instant now, const std::string& what) {
  if (broken_.size() < kShown) broken_.push_back("at " + to_text(now - Instant{}) + " s: " + what);
}

// FNV-1a.
void Invariants::mark(const std::string& text) {
  for (const char c : text) fingerprint_ = (fingerprint_ ^ static_cast<unsigned char>(c)) * 1099511628211U;
}

void Invariants::on_step(const Step& step, const ClusterView& after) {
  const std::string line = encode_step(step);
  if (journal_) *journal_ << line << "\n";
  mark(line);
  if (step.decision) {
    for (const Violation& violation : step.decision->violations) {
      say(step.now, std::string("a plan breaks ") + name(violation.law) + ": " + violation.text);
    }
  }
  for (const Violation& violation : check_view(after)) {
    say(step.now, std::string("the state breaks ") + name(violation.law) + ": " + violation.text);
  }
  if (!test::index_agrees(after)) say(step.now, "the index of the view does not agree with the view");
  for (const Event& event : step.events)
    if (const auto* displaced = std::get_if<Displaced>(&event); displaced && displaced->anew)
      ++sent_back_[displaced->job];
  for (const JobOutcome& outcome : step.ended) {
    if (!ended_.emplace(outcome.job, outcome).second) say(step.now, job_name(outcome.job) + " ended twice");
  }
}

// A VM that has run is saved or migrated. It is destroyed only when its job leaves, or goes back to a
// checkpoint that is kept, or when its task has had its notice and its grace.
void Invariants::check_actions(const Step& step, const Cluster& cluster) {
  for (const Action& action : step.actions) {
    const auto* const destroy = std::get_if<Destroy>(&action);
    const JobRecord* const record = destroy ? cluster.record(destroy->job) : nullptr;
    if (!record || record->leaving) continue;
    const auto kept = cluster.state().checkpoints.find(destroy->job);
    const bool can_go_back = kept != cluster.state().checkpoints.end() && !kept->second.kept.empty();
    for (std::uint32_t k = 0; k < destroy->tasks.count; ++k) {
      const Vm& vm = record->vms[destroy->tasks.first + k];
      const bool leaves = destroy->leaves && vm.leaving == Leaving::told && vm.leave_by <= step.now;
      if (vm.has_run && !leaves && !(vm.rolls_back && can_go_back))
        say(step.now, job_name(destroy->job) + " loses its work: a VM that has run is destroyed");
    }
  }
}

// Where VMs are sent: until a job starts anew, to nodes of one hypervisor kind.
void Invariants::check_kinds(const Step& step, const Cluster& cluster) {
  for (const Action& action : step.actions) {
    const auto* const create = std::get_if<Create>(&action);
    const auto* const restore = std::get_if<Restore>(&action);
    const auto* const migrate = std::get_if<Migrate>(&action);
    const TaskNodes* const to = create    ? &create->nodes
                                : restore ? &restore->nodes
                                : migrate ? &migrate->to
                                          : nullptr;
    const JobRecord* const record = to ? cluster.record(head(action).job) : nullptr;
    if (!record) continue;
    const HypervisorKind kind = cluster.view().nodes[(*to)[0].raw].hypervisor;
    for (std::uint32_t k = 0; k < head(action).tasks.count; ++k)
      if (cluster.view().nodes[(*to)[k].raw].hypervisor != kind)
        say(step.now, job_name(head(action).job) + " straddles hypervisor kinds");
    for (const Vm& vm : record->vms)
      if ((exists(vm) || vm.flight || vm.has_run) && cluster.view().nodes[vm.node.raw].hypervisor != kind)
        say(step.now, job_name(head(action).job) + " crosses to another hypervisor kind");
  }
}

// The charges of the nodes against a fresh sum over all VMs.
void Invariants::check_charges(const Cluster& cluster) {
  std::vector<NodeCharge> counted(cluster.view().nodes.size());
  for (const auto& [id, record] : cluster.state().records)
    for (const Vm& vm : record.vms) {
      const VmCharge held = charge_of(record.submission->demand, vm);
      for (const NodeId node : held.places()) counted[node.raw] += held.each;
    }
  for (const Node& node : cluster.view().nodes) {
    const NodeCharge& kept = cluster.ledger().charged(node.id);
    const NodeCharge& fresh = counted[node.id.raw];
    if (kept.memory != fresh.memory || kept.cpu != fresh.cpu)
      say(cluster.view().now, node.name + ": its charge is not the sum of what its VMs hold");
  }
}

// What VMs are counted with is more than a node has only while some of them are on their way to leave it.
void Invariants::check_memory(const Cluster& cluster) {
  const ClusterView& view = cluster.view();
  const auto leaves = [&](JobId id, const Vm& vm, NodeId node) {
    const auto job = view.jobs.find(id);
    const bool is_there = vm.node == node || (vm.flight && vm.flight->to == node);
    return is_there && (job == view.jobs.end() || job->second.phase != Phase::running || vm.wanted != node);
  };
  for (const Node& node : view.nodes) {
    if (cluster.ledger().charged(node.id).memory <= node.memory) continue;
    bool is_relieved = false;
    for (const auto& [id, record] : cluster.state().records)
      for (const Vm& vm : record.vms) is_relieved = is_relieved || leaves(id, vm, node.id);
    if (!is_relieved) say(view.now, node.name + ": more memory is counted than it has, and none leaves it");
  }
}

void Invariants::check_derived(const Cluster& cluster) {
  const ClusterView& view = cluster.view();
  std::vector<PendingJob> pending;
  cluster.list_pending(pending);
  for (const PendingJob& kept : pending) {
    const JobRecord& record = *cluster.record(kept.id);
    const auto found = view.jobs.find(kept.id);
    const Job* const job = found == view.jobs.end() ? nullptr : &found->second;
    const auto bad = [&](const std::string& what) { say(view.now, job_name(kept.id) + ": " + what); };
    const PendingWork fresh = test::pending_work(job, record.vms);
    if (kept.job != job || kept.record != &record) bad("its derived state points elsewhere");
    if (fresh != kept.work) bad("its pending work is not up to date");
    const auto waits = [](const Vm& vm) { return vm.not_before > Instant{}; };
    const bool delayed = std::ranges::any_of(record.vms, waits) || record.pause_again > Instant{};
    if (kept.delayed != delayed) bad("whether it waits for a back-off is not up to date");
    if (kept.uniform && !is_uniform(record)) bad("it is taken to be uniform, and is not");
    const bool stands = job && job->phase == Phase::running && exists(record.vms.front());
    if (kept.uniform && stands && places_of(record) != job->placement)
      bad("it is uniform, and its VMs do not stand as it is placed");
    if (job && job->in_flight != fresh.in_flight)
      bad("policies are told wrongly whether an action is in flight");
    if (job && job->progress.rate != rate_of(record)) bad("its rate is not that of its VMs");
    const auto is_unclear = [](const Vm& vm) { return vm.unclear; };
    if (fresh == PendingWork{} && !std::ranges::any_of(record.vms, is_unclear))
      bad("it has not converged, and nothing is left to do for it");
  }
}

// A job on a node that does not answer makes no progress that is known; none starts anew more often than
// its user allows and operators say.
void Invariants::check_silence(const Cluster& cluster) {
  const ClusterView& view = cluster.view();
  const auto silent = [&](const Vm& vm) { return exists(vm) && !view.nodes[vm.node.raw].answers(); };
  for (const auto& [id, record] : cluster.state().records) {
    const auto job = view.jobs.find(id);
    if (job != view.jobs.end() && std::ranges::any_of(record.vms, silent) &&
        (!record.silence || job->second.progress.rate.raw != 0))
      say(view.now, job_name(id) + " counts time on a node that does not answer");
    const auto back = sent_back_.find(id);
    if (record.reruns >
        record.submission->requeue.value_or(0) + (back == sent_back_.end() ? 0 : back->second))
      say(view.now, job_name(id) + " has started anew too often");
  }
}

// A node that is not on holds no VM, and nothing is under way there.
void Invariants::check_power(const Cluster& cluster) {
  const ClusterView& view = cluster.view();
  for (const auto& [id, record] : cluster.state().records)
    for (const Vm& vm : record.vms) {
      if (exists(vm) && view.nodes[vm.node.raw].power != NodePower::on)
        say(view.now, job_name(id) + " has a VM on a node that is off");
      if (vm.flight && view.nodes[vm.flight->to.raw].power != NodePower::on && concerns(vm, vm.flight->to))
        say(view.now, job_name(id) + " has an action under way on a node that is off");
    }
}

// What a guest has announced is heard once, however often it is read.
void Invariants::check_sizes(const Cluster& cluster) {
  const auto heard_before = [](const AnnouncedTasks& next) { return next.tasks == kHeardBefore; };
  for (const auto& [id, record] : cluster.state().records)
    if (wanted_tasks(record) >= kHeardBefore / 2 ||
        std::ranges::any_of(record.evolution.announced, heard_before))
      say(cluster.view().now, job_name(id) + " has heard an announcement of its guest twice");
}

// The VMs of a job that is paused together run all or none: while one is saved, none runs, but on a node
// that does not answer, or while the job is brought back. A place is kept only until the job is paused, or
// runs.
void Invariants::check_pauses(const Cluster& cluster) {
  const ClusterView& view = cluster.view();
  for (const auto& [id, record] : cluster.state().records) {
    const auto job = view.jobs.find(id);
    const bool pauses = job != view.jobs.end() && job->second.phase != Phase::running;
    const auto keeps = [](const Vm& vm) { return vm.keeps_place; };
    const auto exists_or_acts = [](const Vm& vm) { return exists(vm) || vm.flight || vm.unclear; };
    if (std::ranges::any_of(record.vms, keeps) &&
        (!pauses || std::ranges::none_of(record.vms, exists_or_acts)))
      say(view.now, job_name(id) + ": a VM keeps a place that it will not go back to");
    if (!pauses || !is_paused_together(record) || is_brought_back(record)) continue;
    const auto is_saved = [](const Vm& vm) { return vm.state == VmState::saved && vm.keeps_place; };
    const auto runs = [&](const Vm& vm) {
      return vm.state == VmState::running && !vm.flight && !vm.unclear && answers(view, vm.node);
    };
    if (std::ranges::any_of(record.vms, is_saved) && std::ranges::any_of(record.vms, runs))
      say(view.now, job_name(id) + ": some of its VMs are saved, and others run");
  }
}

// No more members stand than may, and their array knows each of them.
void Invariants::check_arrays(const Cluster& cluster) {
  std::map<JobId, std::size_t> standing;
  for (const auto& [id, record] : cluster.state().records)
    if (const auto& member = record.submission->member) ++standing[member->array];
  for (const auto& [id, record] : cluster.state().records) {
    if (!record.array) continue;
    const auto bad = [&, job = id](const std::string& what) {
      say(cluster.view().now, job_name(job) + what);
    };
    if (standing[id] != record.array->standing.size()) bad(" does not know which of its members stand");
    if (standing[id] > most_at_once(*record.submission->array)) bad(" has more members than may stand");
    if (!cluster.view().jobs.at(id).placement.empty()) bad(" is placed, and is an array");
  }
}

// A diff that remembers the previous one gives the same actions as one that starts afresh.
void Invariants::check_diff(const Cluster& cluster) {
  const auto actions = [&](DiffStorage& storage) {
    Step step;
    step.actions = diff(cluster, storage);
    return encode_step(step);
  };
  DiffStorage fresh;
  if (actions(diff_storage_) != actions(fresh))
    say(cluster.view().now, "the diff gives other actions than one that starts afresh");
  if (std::exchange(has_died_, false)) diff_storage_ = {};
}

void Invariants::check_end(const JobOutcome& outcome, const WorkloadJob& job,
                           const ModelHypervisor& hypervisor) {
  const TraceSubmission& work = job.submission;
  const std::string job_text = job_name(outcome.job);
  const auto bad = [&](const std::string& what) { say(outcome.ended, job_text + " " + what); };
  const bool actions_fail = scenario_.faults >= FaultLevel::failures;
  const auto& member = outcome.submission->member;
  switch (outcome.result) {
    case JobResult::cancelled:
      if (!scenario_.cancels.contains(member ? member->array : outcome.job) &&
          (!scenario_.workload.starts.contains(outcome.job) ||
           outcome.note.find(", which it was to wait for") == std::string::npos))
        bad("was cancelled although no user asked for it");
      return;
    case JobResult::timed_out:
      if (!has_limit(*outcome.submission)) bad("timed out without a limit");
      return;
    case JobResult::failed: {
      const bool gave_up = actions_fail && outcome.note.find("failed") != std::string::npos;
      const bool own_fault = work.exit_code != 0 && outcome.exit_code == work.exit_code;
      if (!own_fault && !gave_up && !hypervisor.killed(outcome.job))
        bad("failed without a reason: " + outcome.note);
      return;
    }
    case JobResult::completed:
      break;
  }
  if (work.exit_code != 0) bad("completed in spite of its exit code");
  if (outcome.exit_code != 0) bad("completed with exit code " + std::to_string(outcome.exit_code));
  // If an outcome is lost, or the manager dies, it does not know when a release or a cap took effect: start
  // and virtual time are then not exact.
  if (scenario_.faults == FaultLevel::losses || scenario_.deaths > 0) return;
  if (job.submission.time_limit) bad("completed beyond its time limit");
  if (!outcome.started) return bad("completed and never ran");
  if (const auto& limit = outcome.submission->wall_limit;
      limit && outcome.ended > *outcome.started + *limit)
    bad("completed beyond its wall-clock limit");
  // Longer than its work, where its account limits its yield.
  const Duration alone = std::get<ModelWork>(outcome.submission->program).alone;
  if (outcome.ended - *outcome.started < alone) bad("took less time than its work");
  // The completion is rounded up to a microsecond.
  const Int128 over = outcome.virtual_time.raw - (alone * kFullYield).raw;
  if (over < 0 || over > kMillion) {
    bad("has done " + to_text(outcome.virtual_time) + " s of work, not " + to_text(alone));
  }
}

// An array that was not cancelled has made one member for each of its indices; all of them have completed
// if it has.
void Invariants::check_members(const JobOutcome& array, const WorkloadJob& job,
                               const ModelHypervisor& hypervisor) {
  const auto bad = [&](const std::string& what) { say(array.ended, job_name(array.job) + what); };
  std::set<std::uint32_t> seen;
  std::uint32_t completed = 0;
  for (const auto& [id, outcome] : ended_) {
    const auto& member = outcome.submission->member;
    if (!member || member->array != array.job) continue;
    if (!seen.insert(member->index).second) bad(" has two members of one index");
    if (outcome.ended > array.ended) bad(" has ended before one of its members");
    if (outcome.result == JobResult::completed) ++completed;
    check_end(outcome, job, hypervisor);
  }
  if (array.result == JobResult::cancelled) return;
  const std::uint32_t all = count_of(array.submission->array->indices);
  if (seen.size() != all) bad(" has made " + std::to_string(seen.size()) + " members");
  if ((array.result == JobResult::completed) != (completed == all))
    bad(" has another result than its members");
}

void Invariants::at_the_end(const ModelHypervisor& hypervisor) {
  for (const WorkloadJob& job : scenario_.workload.jobs) {
    const auto outcome = ended_.find(job.id);
    if (outcome == ended_.end()) {
      say({}, job_name(job.id) + " was lost");
    } else if (scenario_.workload.arrays.contains(job.id)) {
      check_members(outcome->second, job, hypervisor);
    } else {
      check_end(outcome->second, job, hypervisor);
    }
  }
  for (const std::string& fault : hypervisor.checker().violations())
    say({}, "the hypervisor was asked for something wrong: " + fault);
  if (const auto left = hypervisor.leftovers(); left > 0) {
    say({}, std::to_string(left) + " VMs were left behind");
  }
}

}  // namespace aliquot
