#include "manager/memory_lending.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace aliquot {
namespace {

constexpr Duration kSetAgain = seconds(10);  // a balloon that is not as it should be
// A guest whose balloon was set is asked every second. If it is not, its node has forgotten that.
constexpr Duration kForgotten = seconds(3);
constexpr Duration kLongestLowering = seconds(60);
constexpr Duration kAskAgain = seconds(30);  // the core to count a job with all of its memory
constexpr Memory kExact = mebibytes(1);

// What a balloon cannot take: the memory of a VM with devices is pinned, a hash chain has no driver. What a
// guaranteed bandwidth is charged as memory is not the guest's.
bool has_memory_to_lend(const Submission& job) {
  return !is_grouped(job.demand) && !std::holds_alternative<HashChain>(job.program) &&
         (!job.network || job.network->bandwidth.raw == 0);
}

// The same amounts with the overhead of the VM, as the job is counted, and without it.
Memory with_overhead(const Submission& job, Memory guest) {
  return guest + (declared_memory(job) - job.guest_memory);
}

needs::MemoryTerms terms_of(const Submission& job, const NeedSettings& settings) {
  const std::int64_t kept = multiply_divide(declared_memory(job).raw, settings.memory_kept_ppm, kMillion);
  const std::int64_t mib = mebibytes(1).raw;
  const Memory least{(kept + mib - 1) / mib * mib};
  const Memory overhead = declared_memory(job) - job.guest_memory;
  return {job.guest_memory, std::clamp(least - overhead, mebibytes(1), job.guest_memory)};
}

bool is_same_run(const VmUsage& a, const VmUsage& b) {
  return a.incarnation == b.incarnation && a.run == b.run && a.node == b.node;
}

bool is_close(Memory a, Memory b) { return std::max(a - b, b - a) <= kExact; }

std::size_t running(const JobRecord& record) {
  return static_cast<std::size_t>(std::ranges::count(record.vms, VmState::running, &Vm::state));
}

}  // namespace

bool MemoryLending::may_act() const {
  return !parts_.input.blocked && parts_.scheduler.cluster().state().mode == Mode::automatic;
}

bool MemoryLending::is_to_lend(const Submission& job) const {
  const bool stays_on_libvirt = job.demand.hypervisor == HypervisorKind::libvirt || !any_xen_;
  return parts_.settings.needs.memory == "learned" && job.need_mode != needs::NeedMode::declared &&
         has_memory_to_lend(job) && stays_on_libvirt;
}

void MemoryLending::every_second(Instant now) {
  const CoreState& state = parts_.scheduler.cluster().state();
  any_xen_ = std::ranges::any_of(parts_.settings.nodes, [](const NodeSettings& node) {
    return node.hypervisor == HypervisorKind::xen;
  });
  std::erase_if(jobs_, [&](const auto& each) { return !state.view.jobs.contains(each.first); });
  for (const auto& [id, record] : state.records)
    if (state.view.jobs.contains(id)) watch_or_give_back(id, record, now);
}

void MemoryLending::watch_or_give_back(JobId id, const JobRecord& record, Instant now) {
  const Submission& job = *record.submission;
  const auto known = jobs_.find(id);
  const bool is_lent = is_to_lend(job);
  if (!is_lent && !job.declared_memory) {
    if (known != jobs_.end()) jobs_.erase(known);
    return;
  }
  needs::MemoryTerms terms = terms_of(job, parts_.settings.needs);
  if (!is_lent) terms.least = terms.declared;
  if (known == jobs_.end())
    jobs_.emplace(id, Watched{needs::MemoryWatch(terms)});
  else if (known->second.watch.terms() != terms)
    known->second = Watched{needs::MemoryWatch(terms), std::move(known->second.last)};
  Watched& watched = jobs_.at(id);
  if (may_act()) decide(id, record, watched, now);
}

void MemoryLending::read(const std::vector<VmUsage>& readings, Instant at) {
  const CoreState& state = parts_.scheduler.cluster().state();
  std::set<JobId> seen;
  for (const VmUsage& reading : readings) {
    const auto job = jobs_.find(reading.job);
    const auto record = state.records.find(reading.job);
    if (job == jobs_.end() || record == state.records.end() || reading.task >= record->second.vms.size())
      continue;
    observe(job->second, reading, at);
    seen.insert(reading.job);
  }
  if (!may_act()) return;
  for (const JobId id : seen) decide(id, state.records.at(id), jobs_.at(id), at);
}

// What a guest has told is of the balloon that it had: it counts if that has not changed since. A guest
// that has taken memory back by itself had nothing left.
void MemoryLending::observe(Watched& watched, const VmUsage& reading, Instant at) {
  const auto [entry, is_first] =
      watched.last.try_emplace(reading.task, Reading{reading, at, at, Instant{INT64_MIN}, {}});
  Reading& last = entry->second;
  const VmUsage before = std::exchange(last.counters, reading);
  last.at = at;
  if (reading.memory) last.asked_at = at;
  if (is_first) return;
  if (!is_same_run(before, reading)) {
    watched.watch.forget(reading.task);
    last.set_to = {};  // its new node is to be asked as often
    return;
  }
  if (!reading.memory) last.counters.memory = before.memory;  // guests are not asked each time
  if (!before.memory || !reading.memory) return;
  const GuestMemory& now = *reading.memory;
  const bool has_grown = now.given > before.memory->given + kExact;
  if (has_grown && last.set_to.raw > 0 && now.given > last.set_to + kExact)
    return watched.watch.observe({reading.task, at, now.given, Memory{}});
  if (before.memory->given != now.given || before.memory->told == now.told) return;
  watched.watch.observe({reading.task, at, now.given, now.usable});
}

void MemoryLending::decide(JobId id, const JobRecord& record, Watched& watched, Instant now) {
  for (std::uint32_t task = 0; task < vm_count(record); ++task)
    if (record.vms[task].state != VmState::running) watched.watch.forget(task), watched.last.erase(task);
  const Memory counted = guest_memory_counted(record.submission);
  if (counted == watched.watch.terms().declared) watched.raised_at.reset();
  if (watched.lowering && counted <= watched.lowering->change.memory) watched.lowering.reset();
  follow_watch(id, record, watched, now);
  if (watched.lowering) follow_lowering(id, record, watched, now);
  set_balloons(id, record, watched, now);
}

// The core may not have found the memory for what a job is to be counted with: then it is asked again.
void MemoryLending::follow_watch(JobId id, const JobRecord& record, Watched& watched, Instant now) {
  const Memory counted = guest_memory_counted(record.submission);
  const needs::MemoryTerms& terms = watched.watch.terms();
  if (watched.raised_at) {
    if (now - *watched.raised_at < kAskAgain) return;
    watched.raised_at = now;
    return count_with(id, record, {terms.declared, {}}, "its tasks have all of their memory again");
  }
  const Memory in_force = watched.lowering ? watched.lowering->change.memory : counted;
  const auto change = watched.watch.decide(in_force, running(record), now);
  if (!change) return;
  if (change->memory < in_force) {
    watched.lowering = Lowering{*change, now};
    return;
  }
  const bool is_counted_so = counted == terms.declared && !(watched.lowering && watched.lowering->is_said);
  watched.lowering.reset();
  if (is_counted_so) return;
  watched.raised_at = now;
  count_with(id, record, *change, explain(*change, terms));
}

void MemoryLending::follow_lowering(JobId id, const JobRecord& record, Watched& watched, Instant now) {
  Lowering& lowering = *watched.lowering;
  const auto has_given = [&](const auto& each) {
    const auto& memory = each.second.counters.memory;
    return memory && memory->given <= lowering.change.memory + kExact;
  };
  if (!lowering.is_said && watched.last.size() == running(record) &&
      std::ranges::all_of(watched.last, has_given)) {
    lowering.is_said = true;
    return count_with(id, record, lowering.change, explain(lowering.change, watched.watch.terms()));
  }
  if (now - lowering.since <= kLongestLowering) return;
  watched.lowering.reset();
  watched.watch.undo(now);
}

void MemoryLending::count_with(JobId id, const JobRecord& record, const needs::MemoryChange& change,
                               std::string why) {
  const auto is_said = [id](const Event& event) {
    const auto* learned = std::get_if<MemoryLearned>(&event);
    return learned && learned->job == id;
  };
  std::erase_if(parts_.input.events, is_said);
  parts_.input.events.emplace_back(
      MemoryLearned{id, with_overhead(*record.submission, change.memory), change.used, std::move(why)});
}

void MemoryLending::set_balloons(JobId id, const JobRecord& record, Watched& watched, Instant now) {
  const Memory declared = watched.watch.terms().declared;
  const Memory wanted = watched.raised_at  ? declared
                        : watched.lowering ? watched.lowering->change.memory
                                           : guest_memory_counted(record.submission);
  for (auto& [task, last] : watched.last) {
    const auto& memory = last.counters.memory;
    if (!memory || task >= record.vms.size() || record.vms[task].flight) continue;
    const bool is_so = is_close(memory->given, wanted);
    const bool is_asked = is_so && last.at - last.asked_at < kForgotten;
    if (last.set_to == wanted && (is_asked || now < last.set_at + kSetAgain)) continue;
    if (is_so && wanted == declared) continue;
    last.set_to = wanted;
    last.set_at = now;
    parts_.hypervisor.set_balloon({id, task, last.counters.incarnation, last.counters.node, wanted});
  }
}

}  // namespace aliquot
