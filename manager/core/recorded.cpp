#include "manager/core/recorded.hpp"

#include <algorithm>
#include <string>

#include "manager/core/maintenance_windows.hpp"
#include "monitor/record/plan_check.hpp"

namespace aliquot {
namespace {

// Far beyond what anybody has or asks for, and small enough that a few of them do not overflow a sum.
constexpr std::uint32_t kMostTasks = 1'000'000;
constexpr std::int64_t kMost = std::int64_t{1} << 58;  // bytes or micro-cores, of a job or a node

std::string job_text(JobId id) { return "job " + std::to_string(id.raw) + ": "; }
std::string of(std::uint64_t part, std::uint64_t all) {
  return std::to_string(part) + " of " + std::to_string(all);
}
tl::unexpected<Error> wrong(const std::string& what) { return fail(ErrorKind::refused, what); }

// Laws whose breach lets the core read beyond its tables.
bool is_structural(Law law) {
  return law == Law::known_job || law == Law::known_node || law == Law::all_tasks || law == Law::devices;
}

Result<void> first_structural(const std::vector<Violation>& violations) {
  for (const Violation& violation : violations)
    if (is_structural(violation.law)) return wrong(violation.text);
  return {};
}

Result<void> check_weight(Weight weight) {
  if (weight >= kLeastWeight && weight <= kMostWeight) return {};
  return wrong("its weight is " + std::to_string(weight.raw) + " millionths");
}

Result<void> check_moves(const MoveTerms& terms) {
  if (terms.cool_down >= Duration{} && terms.cool_down <= kLongestCoolDown) return {};
  return wrong("a cool-down of " + std::to_string(terms.cool_down.raw) + " us");
}

Result<void> check_demand(const Demand& demand) {
  if (auto sane = check_weight(demand.weight); !sane) return sane;
  const auto fits = [&](std::int64_t each) {
    return each >= 0 && Int128{each} * std::max(demand.tasks, 1U) <= kMost;
  };
  if (demand.tasks > kMostTasks) return wrong("it has " + std::to_string(demand.tasks) + " tasks");
  if (!fits(demand.memory.raw) || !fits(demand.need.raw))
    return wrong("it asks for " + std::to_string(demand.memory.raw) + " bytes and " +
                 std::to_string(demand.need.raw) + " micro-cores for each of " +
                 std::to_string(demand.tasks) + " tasks");
  return {};
}

// Sizes that no machine has make sums overflow, and shares of nothing.
Result<void> check_sizes(const OtherVms& others) {
  if (others.memory.raw >= 0 && others.memory.raw <= kMost && others.cpu.raw >= 0 &&
      others.cpu.raw <= kMost)
    return {};
  return wrong("other VMs hold " + std::to_string(others.memory.raw) + " bytes and " +
               std::to_string(others.cpu.raw) + " micro-cores");
}

Result<void> check_sizes(const std::vector<Node>& nodes) {
  const auto is_sum_of = [](std::int64_t left, std::int64_t taken) {
    return taken >= -left && taken <= kMost;
  };
  for (const Node& node : nodes) {
    if (auto sane = check_sizes(node.others); !sane)
      return wrong("node " + node.name + ": " + sane.error().message);
    if (node.capacity.raw < 0 || node.capacity.raw > kMost || node.memory.raw < 0 ||
        node.memory.raw > kMost || node.devices.size() > kMostDevices)
      return wrong("node " + node.name + ": it has " + std::to_string(node.capacity.raw) +
                   " micro-cores, " + std::to_string(node.memory.raw) + " bytes and " +
                   std::to_string(node.devices.size()) + " devices");
    if (!is_sum_of(node.capacity.raw, node.capacity_taken.raw) ||
        !is_sum_of(node.memory.raw, node.memory_taken.raw))
      return wrong("node " + node.name + ": more or less than all of it is taken by other VMs");
  }
  return {};
}

class RecordCheck {
 public:
  explicit RecordCheck(const ClusterView& view) : view_(view) {}

  Result<void> operator()(JobId id, const JobRecord& record) const {
    const auto found = view_.jobs.find(id);
    const Job* const job = found == view_.jobs.end() ? nullptr : &found->second;
    if ((job == nullptr) != record.leaving.has_value())
      return wrong(job ? "it is leaving and is not" : "no policy sees it, and it is not leaving");
    if (record.vms.empty() || record.vms.size() > kMostTasks)
      return wrong("it has " + std::to_string(record.vms.size()) + " VMs");
    if (!record.devices.empty() && record.devices.size() != record.vms.size())
      return wrong("it holds devices for " + of(record.devices.size(), record.vms.size()) + " VMs");
    const Demand& demand = record.submission->demand;
    if (auto sane = check_demand(demand); !sane) return sane;
    const Memory declared = declared_memory(record.submission);
    if (declared < demand.memory || declared.raw > kMost)
      return wrong("it declares " + std::to_string(declared.raw) + " bytes, and is counted with " +
                   std::to_string(demand.memory.raw));
    for (std::size_t task = 0; task < record.vms.size(); ++task)
      if (auto sane = check_vm(record.vms[task], job, demand); !sane)
        return wrong("task " + std::to_string(task) + ": " + sane.error().message);
    return job ? check_tasks(*job, record) : Result<void>();
  }

 private:
  [[nodiscard]] Result<void> known(NodeId node) const {
    if (node.raw < view_.nodes.size()) return {};
    return wrong("it stands on node " + of(node.raw, view_.nodes.size()));
  }

  [[nodiscard]] Result<void> check_vm(const Vm& vm, const Job* job, const Demand& demand) const {
    if (vm.units == 0 || vm.units > kMostTasks)
      return wrong("it runs " + std::to_string(vm.units) + " tasks");
    if (!is_cap(vm.cap, demand) || (vm.flight && !is_cap(vm.flight->yield, demand)))
      return wrong("its cap is below 0, or beyond all nodes");
    if (exists(vm) || vm.keeps_place)
      if (auto there = known(vm.node); !there) return there;
    if (vm.flight && (vm.flight->kind == ActionKind::create || vm.flight->kind == ActionKind::restore ||
                      vm.flight->kind == ActionKind::migrate))
      if (auto there = known(vm.flight->to); !there) return there;
    if (job && job->phase == Phase::running && vm.state != VmState::ended) return known(vm.wanted);
    return {};
  }

  // Above 1 for a moment, where the need has been lowered.
  static bool is_cap(Yield cap, const Demand& demand) {
    return cap.raw >= 0 && Int128{demand.need.raw} * cap.raw <= Int128{kMost} * kMillion;
  }
  static bool is_yield(Yield value) { return value.raw >= 0 && value <= kFullYield; }

  [[nodiscard]] static Result<void> check_tasks(const Job& job, const JobRecord& record) {
    if (!is_yield(job.yield)) return wrong("its yield is " + std::to_string(job.yield.raw) + " millionths");
    if (auto sane = check_demand(job.demand); !sane) return sane;
    if (is_grouped(job.demand) != is_grouped(record.submission->demand))
      return wrong("it asks for devices and does not");
    std::uint64_t left = 0;
    for (const Vm& vm : record.vms)
      if (vm.state != VmState::ended) left += vm.units;
    if (left != job.demand.tasks)
      return wrong("it has " + std::to_string(job.demand.tasks) + " tasks and VMs for " +
                   std::to_string(left));
    if ((job.phase == Phase::running && job.demand.tasks > 0) == job.placement.empty())
      return wrong("it runs nowhere, or stands somewhere and does not run");
    return {};
  }

  const ClusterView& view_;
};

// A VM that goes back to a checkpoint has one, and so has every job of which one is to be made.
Result<void> check_checkpoints(const CoreState& state) {
  for (const auto& [id, its] : state.checkpoints) {
    const auto record = state.records.find(id);
    if (record == state.records.end() || !is_checkpointed(record->second.submission))
      return wrong(job_text(id) + "it has checkpoints and did not ask for any");
    if (its.under_way && !state.view.jobs.contains(id))
      return wrong(job_text(id) + "a checkpoint of it is being made, and it is leaving");
  }
  for (const auto& [id, record] : state.records) {
    if (std::ranges::none_of(record.vms, &Vm::rolls_back)) continue;
    const auto its = state.checkpoints.find(id);
    if (its == state.checkpoints.end() || its->second.kept.empty())
      return wrong(job_text(id) + "it goes back to a checkpoint and has none");
  }
  return {};
}

// An array, or a member of one.
Result<void> check_array(const CoreState& state, JobId id, const JobRecord& record) {
  const Submission& submission = *record.submission;
  if (submission.array.has_value() != record.array.has_value())
    return wrong(job_text(id) + "it is an array and is not");
  if (const auto& its = record.array) {
    if (!is_sound(submission.array->indices)) return wrong(job_text(id) + "its indices are out of bounds");
    if (its->reached > count_of(submission.array->indices))
      return wrong(job_text(id) + "more members were made than it has indices");
    for (const StandingMember& member : its->standing)
      if (const auto at = state.records.find(member.job);
          at == state.records.end() || at->second.submission->member != ArrayMember{id, member.index})
        return wrong(job_text(id) + "its member " + std::to_string(member.index) + " is not known");
  }
  if (!submission.member) return {};
  const auto array = state.records.find(submission.member->array);
  const bool stands = array != state.records.end() && array->second.array &&
                      std::ranges::find(array->second.array->standing, id, &StandingMember::job) !=
                          array->second.array->standing.end();
  return stands ? Result<void>() : wrong(job_text(id) + "its array does not know it");
}

// The nodes of an action: one for all of its tasks, or one for each.
Result<void> check_nodes(const TaskNodes& nodes, std::uint32_t count, std::size_t known) {
  if (!nodes.is_one() && nodes.each().size() != count)
    return wrong("it names " + std::to_string(nodes.each().size()) + " nodes for " + std::to_string(count) +
                 " tasks");
  for (std::uint32_t at = 0; at < (nodes.is_one() ? 1 : count); ++at)
    if (nodes[at].raw >= known) return wrong("it names node " + of(nodes[at].raw, known));
  return {};
}

}  // namespace

Result<void> check_recorded(const CoreState& state) {
  const ClusterView& view = state.view;
  for (const auto& [id, job] : view.jobs)
    if (!state.records.contains(id)) return wrong(job_text(id) + "nothing is known of its VMs");
  if (auto sane = check_sizes(view.nodes); !sane) return sane;
  if (std::string fault = fault_of(state.accounts); !fault.empty()) return wrong(std::move(fault));
  if (auto sane = check_moves(state.moves); !sane) return sane;
  for (const auto& [node, drain] : state.announced)
    if (node.raw >= view.nodes.size())
      return wrong("a drain is announced of node " + of(node.raw, view.nodes.size()));
  for (const MaintenanceWindow& window : state.windows)
    if (std::string fault = fault_of(window, view.nodes.size()); !fault.empty()) return wrong(fault);
  const RecordCheck check(view);
  for (const auto& [id, record] : state.records)
    if (auto sane = check(id, record); !sane) return wrong(job_text(id) + sane.error().message);
  for (const auto& [id, record] : state.records)
    if (auto sane = check_array(state, id, record); !sane) return sane;
  if (auto sane = check_checkpoints(state); !sane) return sane;
  for (const JobId id : view.cause.arrived)
    if (!view.jobs.contains(id)) return wrong(job_text(id) + "it arrived, and is not known");
  return first_structural(check_view(view));
}

namespace {
Result<void> check_need(JobId job, Cpu need) {
  if (need.raw > 0 && need.raw <= kMost) return {};
  return wrong(job_text(job) + "it needs " + std::to_string(need.raw) + " micro-cores");
}
}  // namespace

Result<void> check_recorded(std::span<const Event> events) {
  for (const Event& event : events) {
    if (const auto* configured = std::get_if<Configured>(&event))
      if (auto sane = check_sizes(configured->nodes); !sane) return sane;
    if (const auto* changed = std::get_if<OthersChanged>(&event))
      if (auto sane = check_sizes(changed->others); !sane) return sane;
    if (const auto* changed = std::get_if<NeedChanged>(&event))
      if (auto sane = check_need(changed->job, changed->need); !sane) return sane;
    if (const auto* learned = std::get_if<NeedLearned>(&event))
      if (auto sane = check_need(learned->job, learned->need); !sane) return sane;
    if (const auto* learned = std::get_if<MemoryLearned>(&event))
      if (learned->memory.raw <= 0 || learned->memory.raw > kMost)
        return wrong(job_text(learned->job) + "it is counted with " + std::to_string(learned->memory.raw) +
                     " bytes");
    if (const auto* changed = std::get_if<WeightsChanged>(&event))
      for (const UserWeight& one : changed->weights)
        if (auto sane = check_weight(one.weight); !sane)
          return wrong("uid " + std::to_string(one.uid) + " in account " + one.account + ": " +
                       sane.error().message);
    if (const auto* changed = std::get_if<AccountsChanged>(&event))
      if (std::string fault = fault_of(changed->accounts); !fault.empty()) return wrong(std::move(fault));
    if (const auto* changed = std::get_if<MoveTermsChanged>(&event))
      if (auto sane = check_moves(changed->terms); !sane) return sane;
    if (const auto* changed = std::get_if<TasksChanged>(&event))
      if (changed->tasks == 0 || changed->tasks > kMostTasks)
        return wrong(job_text(changed->job) + "it is to have " + std::to_string(changed->tasks) + " tasks");
    const auto* submitted = std::get_if<Submitted>(&event);
    if (!submitted) continue;
    const Demand& demand = submitted->submission->demand;
    if (const auto& array = submitted->submission->array; array && !is_sound(array->indices))
      return wrong(job_text(submitted->job) + "its indices are out of bounds");
    if (demand.tasks == 0) return wrong(job_text(submitted->job) + "it has no tasks");
    if (auto sane = check_demand(demand); !sane)
      return wrong(job_text(submitted->job) + sane.error().message);
  }
  return {};
}

Result<void> check_recorded(const Plan& plan, const Cluster& cluster) {
  return first_structural(check_plan(cluster.view(), plan));
}

Result<void> check_recorded(std::span<const Action> actions, const Cluster& cluster) {
  const std::size_t known = cluster.view().nodes.size();
  for (const Action& action : actions) {
    const ActionHead& what = head(action);
    const std::string where = std::string(word(action)) + " of " + job_text(what.job);
    const JobRecord* const record = cluster.record(what.job);
    if (!record) return wrong(where + "the job is not known");
    const std::uint64_t end = std::uint64_t{what.tasks.first} + what.tasks.count;
    if (what.tasks.count == 0 || end > record->vms.size())
      return wrong(where + "tasks up to " + of(end, record->vms.size()));
    const auto nodes = std::visit(
        [&](const auto& a) -> Result<void> {
          if constexpr (requires { a.nodes; }) return check_nodes(a.nodes, what.tasks.count, known);
          if constexpr (requires { a.to; }) return check_nodes(a.to, what.tasks.count, known);
          return {};
        },
        action);
    if (!nodes) return wrong(where + nodes.error().message);
  }
  return {};
}

}  // namespace aliquot
