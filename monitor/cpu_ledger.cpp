#include "monitor/cpu_ledger.hpp"

#include <algorithm>

namespace aliquot {
namespace {

// Less than this part of the time idle, and a VM would have taken more: readings are some milliseconds
// apart from the instants they are said to be of.
constexpr std::int64_t kIdleAtMost = 50'000;  // parts per million

std::optional<Duration> more(std::optional<Duration> now, std::optional<Duration> before) {
  if (!now || !before) return std::nullopt;
  return std::max(Duration{}, *now - *before);
}

// What is not known for once is not taken back.
void raise(std::optional<Duration>& known, std::optional<Duration> read) {
  if (read) known = std::max(known.value_or(Duration{}), *read);
}

// A new process counts from 0, and its number may have been used before: libvirt forgets numbers when it is
// restarted. A counter that fell by less was read before the other by a thread that came later.
bool began_anew(Duration cpu, const RunUse& known) {
  return cpu.raw < known.used.cpu.raw / 2 && known.used.cpu - cpu > seconds(2);
}

Duration over_time(Cpu rate, Duration span) { return {multiply_divide(rate.raw, span.raw, kMillion)}; }
power::Energy over_time(power::Watts draw, Duration span) { return draw * span; }

// Between two readings `span` apart.
bool was_busy(const Usage& increase, Duration span, std::uint32_t vcpus) {
  if (!increase.waited || span.raw <= 0) return false;
  const std::int64_t whole = span.raw * vcpus;
  return whole - increase.cpu.raw - increase.waited->raw <= multiply_divide(whole, kIdleAtMost, kMillion);
}

}  // namespace

template <class Sum, class Rate>
Sum CpuLedger::Accrual<Sum, Rate>::at(Instant now) const {
  return now <= since ? before : before + over_time(rate, now - since);
}

template <class Sum, class Rate>
bool CpuLedger::Accrual<Sum, Rate>::set(Rate next, Instant now) {
  if (next == rate) return false;
  before = at(now);
  since = std::max(since, now);
  rate = next;
  return true;
}

void CpuLedger::take_up(JobId job, const JobUse& use) {
  Entry& entry = jobs_[job];
  entry = {};
  open_.insert(job);
  entry.promised = {use.promised, {}, use.to};
  entry.energy = {use.energy, {}, use.to};
  entry.granted_before = use.granted;
  entry.earlier = use.earlier;
  entry.earlier_granted = use.earlier_granted;
  entry.earlier_used = use.earlier_used;
  entry.busy = use.busy;
  entry.largest_memory = use.largest_memory;
  for (const RunUse& run : use.runs) {
    Vm& vm = entry.vms[run.task];
    vm.granted.since = use.to;
    vm.runs.push_back({run, std::nullopt});
  }
}

void CpuLedger::shares(JobId job, const JobShares& shares, Instant now) {
  const auto [at, is_new] = jobs_.try_emplace(job);
  Entry& entry = at->second;
  if (is_new) entry.promised.since = entry.energy.since = now;
  std::map<std::uint32_t, Cpu> granted;
  for (const VmCap& cap : shares.granted) granted[cap.task] += cap.own;
  bool differs = false;
  for (auto& [task, vm] : entry.vms)
    if (!granted.contains(task)) differs = vm.granted.set({}, now) || differs;
  for (const auto& [task, cpu] : granted) {
    const auto [vm, unheard] = entry.vms.try_emplace(task);
    if (unheard) vm->second.granted.since = now;
    differs = vm->second.granted.set(cpu, now) || differs;
  }
  differs = entry.promised.set(shares.promised, now) || differs;
  differs = entry.energy.set(shares.draw, now) || differs;
  if (differs) note_change(job, entry);
}

void CpuLedger::note_change(JobId job, Entry& entry) {
  entry.changed = true;
  open_.insert(job);
}

void CpuLedger::end(JobId job, Instant now) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return;
  shares(job, {}, now);
  note_change(job, found->second);
  found->second.ended = now;
  ended_.emplace(now, job);
}

std::vector<UsageIncrease> CpuLedger::read(const std::vector<VmUsage>& readings, Instant at) {
  std::vector<UsageIncrease> increases;
  increases.reserve(readings.size());
  for (const VmUsage& reading : readings) {
    const auto found = jobs_.find(reading.job);
    if (found == jobs_.end()) continue;
    note_change(reading.job, found->second);
    if (auto increase = read_one(found->second, reading, at)) increases.push_back(*increase);
  }
  return increases;
}

std::optional<UsageIncrease> CpuLedger::read_one(Entry& entry, const VmUsage& reading, Instant at) {
  Vm& vm = entry.vms[reading.task];
  const RunUse read{reading.task, reading.incarnation, reading.run, reading.node, at, {}, reading.used};
  const auto known = std::find_if(vm.runs.rbegin(), vm.runs.rend(),
                                  [&](const Run& run) { return run.use.same_run(read); });
  UsageIncrease increase{reading.job, reading.node, reading.used, {}, false};
  const Duration allowed = vm.granted.at(at);
  // Granted CPU is attributed to the run whose counter advances: the other end of a migration is paused.
  const Duration before = known == vm.runs.rend() ? Duration{} : known->use.used.cpu;
  const Duration untold = reading.used.cpu == before ? Duration{} : std::max(Duration{}, allowed - vm.told);
  vm.told += untold;
  if (known == vm.runs.rend() || began_anew(reading.used.cpu, known->use)) {
    vm.runs.push_back({read, allowed});
    vm.runs.back().use.granted = increase.granted = untold;
    hear_memory(entry, vm.runs.back().use, reading, at);
    fold(entry, vm);
    return increase;
  }
  Run& run = *known;
  run.use.granted += untold;
  if (reading.used.cpu < run.use.used.cpu) return std::nullopt;
  hear_memory(entry, run.use, reading, at);
  const Duration span = at - run.use.read;
  increase.more = {std::max(Duration{}, reading.used.cpu - run.use.used.cpu),
                   more(reading.used.waited, run.use.used.waited),
                   more(reading.used.throttled, run.use.used.throttled)};
  increase.granted = untold;
  if (run.allowed && allowed > *run.allowed && was_busy(increase.more, span, reading.vcpus)) {
    increase.busy = true;
    increase.granted = allowed - *run.allowed;
    entry.busy.span += span;
    entry.busy.granted += increase.granted;
    entry.busy.used += increase.more.cpu;
    const auto stolen = increase.more.stolen();
    if (entry.busy.stolen)
      entry.busy.stolen = stolen ? std::optional(*entry.busy.stolen + *stolen) : stolen;
  }
  run.use.used.cpu += increase.more.cpu;
  raise(run.use.used.waited, reading.used.waited);
  raise(run.use.used.throttled, reading.used.throttled);
  if (span.raw > 0) {
    run.use.read = at;
    run.allowed = allowed;
  }
  return increase;
}

void CpuLedger::hear_memory(Entry& entry, RunUse& run, const VmUsage& reading, Instant at) {
  if (!reading.memory || (run.memory && run.memory->told == reading.memory->told)) return;
  // What was told while its balloon was being set is of another memory than is given now.
  const bool is_of_now = !run.memory || run.memory->given == reading.memory->given;
  run.memory = reading.memory;
  run.memory_told = at;
  if (!is_of_now) return;
  if (!entry.largest_memory || entry.largest_memory->memory.used() < reading.memory->used())
    entry.largest_memory = LargestMemory{run.task, at, *reading.memory};
}

void CpuLedger::fold(Entry& entry, Vm& vm) {
  const std::size_t most = entry.vms.size() > kManyVms ? 2 : kRunsToldApart;
  while (vm.runs.size() > most) {
    const RunUse& oldest = vm.runs.front().use;
    ++entry.earlier;
    entry.earlier_granted += oldest.granted;
    entry.earlier_used = entry.earlier_used + oldest.used;
    vm.runs.erase(vm.runs.begin());
  }
}

JobUse CpuLedger::use_of(const Entry& entry, Instant now) {
  JobUse use;
  use.promised = entry.promised.at(now);
  use.energy = entry.energy.at(now);
  use.granted = entry.granted_before;
  use.to = now;
  for (const auto& [task, vm] : entry.vms) {
    use.granted += vm.granted.at(now);
    for (const Run& run : vm.runs) use.runs.push_back(run.use);
  }
  use.earlier = entry.earlier;
  use.earlier_granted = entry.earlier_granted;
  use.earlier_used = entry.earlier_used;
  use.busy = entry.busy;
  use.largest_memory = entry.largest_memory;
  return use;
}

std::optional<JobUse> CpuLedger::use(JobId job, Instant now) const {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return std::nullopt;
  return use_of(found->second, found->second.ended.value_or(now));
}

std::optional<Duration> CpuLedger::granted(JobId job, Instant now) const {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return std::nullopt;
  return granted_to(found->second, now);
}

Duration CpuLedger::granted_to(const Entry& entry, Instant now) {
  const Instant until = entry.ended.value_or(now);
  Duration granted = entry.granted_before;
  for (const auto& [task, vm] : entry.vms) granted += vm.granted.at(until);
  return granted;
}

std::vector<std::pair<JobId, CpuTime>> CpuLedger::cpu_times(Instant until) const {
  std::vector<std::pair<JobId, CpuTime>> times;
  times.reserve(open_.size());
  for (const JobId job : open_) {
    const Entry& entry = jobs_.at(job);
    CpuTime time{granted_to(entry, until), entry.earlier_used.cpu};
    for (const auto& [task, vm] : entry.vms)
      for (const Run& run : vm.runs) time.used += run.use.used.cpu;
    times.emplace_back(job, time);
  }
  return times;
}

std::vector<VmMemory> CpuLedger::memory() const {
  std::vector<VmMemory> all;
  for (const JobId job : open_) {
    for (const auto& [task, vm] : jobs_.at(job).vms) {
      if (vm.granted.rate.raw == 0 || vm.runs.empty()) continue;
      // Not the run that was first seen last: a VM may be back in an earlier one.
      const RunUse& run =
          std::ranges::max_element(vm.runs, {}, [](const Run& each) { return each.use.read; })->use;
      if (run.memory) all.push_back({job, run.node, *run.memory});
    }
  }
  return all;
}

// It changes at every moment; a VM that is being stopped has its cap, and nothing is promised to it.
bool CpuLedger::is_growing(const Entry& entry) {
  return entry.promised.rate.raw > 0 ||
         std::ranges::any_of(entry.vms, [](const auto& vm) { return vm.second.granted.rate.raw > 0; });
}

std::vector<std::pair<JobId, JobUse>> CpuLedger::take_changed(Instant now) {
  std::vector<std::pair<JobId, JobUse>> changed;
  for (auto at = open_.begin(); at != open_.end();) {
    Entry& entry = jobs_.at(*at);
    if (entry.changed) changed.emplace_back(*at, use_of(entry, entry.ended.value_or(now)));
    entry.changed = is_growing(entry);
    at = entry.changed ? std::next(at) : open_.erase(at);
  }
  return changed;
}

std::vector<JobId> CpuLedger::forget_ended(Instant now) {
  std::vector<JobId> forgotten;
  while (!ended_.empty() && now - ended_.begin()->first >= kLinger) {
    const JobId job = ended_.begin()->second;
    ended_.erase(ended_.begin());
    open_.erase(job);
    jobs_.erase(job);
    forgotten.push_back(job);
  }
  return forgotten;
}

}  // namespace aliquot
