#include "tools/sim/verify/events_verifier.hpp"

#include <algorithm>
#include <set>

#include "tools/sim/verify/device_ledger.hpp"

namespace aliquot {
namespace {

using State = JobHistory::State;

std::uint64_t units(const Placement& placement) {
  std::uint64_t sum = 0;
  for (const Share& share : placement) sum += share.units;
  return sum;
}

// The number of tasks on nodes where the job had none before.
std::uint64_t newcomers(const Placement& from, const Placement& to) {
  std::map<NodeId, std::uint64_t> before;
  for (const Share& share : from) before[share.node] = share.units;
  std::uint64_t sum = 0;
  for (const Share& share : to)
    sum += share.units - std::min<std::uint64_t>(share.units, before[share.node]);
  return sum;
}

// The time that a job has had when its step number k, counted from 0, begins.
Int128 begin_of(const JobHistory& job, std::size_t k) {
  return k == 0 ? Int128{0} : Int128{(*job.profile)[k - 1].after.raw} * kMillion;
}

std::uint64_t tasks_of(const JobHistory& job, std::size_t k) {
  return k == 0 ? job.asked->submission.demand.tasks : (*job.profile)[k - 1].tasks;
}

std::size_t steps_of(const JobHistory& job) { return job.profile ? job.profile->size() + 1 : 1; }

// An instant is rounded up to a microsecond, during which a job works at most at full speed.
constexpr Int128 kSlack = 2 * kMillion;

// It is at a step for so many tasks, or was earlier.
bool has_come_to(const JobHistory& job, std::uint64_t tasks) {
  std::uint64_t least = UINT64_MAX, most = 0;
  for (std::size_t k = 0; k < steps_of(job) && begin_of(job, k) <= job.virtual_time.raw; ++k) {
    least = std::min(least, tasks_of(job, k));
    most = std::max(most, tasks_of(job, k));
  }
  return tasks >= least && tasks <= most;
}

// Every node has as many tasks as before, or more.
bool only_more(const Placement& from, const Placement& to) {
  std::map<NodeId, std::uint64_t> now;
  for (const Share& share : to) now[share.node] = share.units;
  return std::ranges::all_of(from, [&](const Share& share) { return now[share.node] >= share.units; });
}

class EventsVerifier {
 public:
  EventsVerifier(const Workload& workload, const std::vector<Node>& nodes, Duration penalty,
                 Findings& findings)
      : nodes_(nodes),
        evolves_(!workload.profiles.empty()),
        penalty_(penalty),
        findings_(findings),
        used_(nodes.size()),
        devices_(nodes) {
    for (const WorkloadJob& job : workload.jobs) reading_.jobs[job.id].asked = &job;
    for (const auto& [id, steps] : workload.profiles) reading_.jobs[id].profile = &steps;
  }

  void take(const EventRow& row) {
    if (row.time > now_) pass(row.time);
    where_ = "line " + std::to_string(row.line) + ": job " + std::to_string(row.job.raw) + " ";
    ++reading_.rows;
    const auto found = reading_.jobs.find(row.job);
    if (found == reading_.jobs.end()) return find("is not in the workload");
    if (row.time < now_) find("goes back in time");
    JobHistory& job = found->second;
    const VirtualTime before = job.virtual_time;
    accrue(job, row.time);
    if (job.profile) check_part(job, before);
    check_order(job, row);
    check_state(job, row);
    check_constraints(job, row);
    count(job, row);
    place(job, row);
  }

  EventsReading finish() {
    check_nodes();
    for (const auto& [id, job] : reading_.jobs) {
      where_ = "job " + std::to_string(id.raw) + " ";
      if (!job.submitted)
        find("is never submitted");
      else if (!job.ended)
        find("never ends");
    }
    reading_.yields.last = now_;
    return std::move(reading_);
  }

 private:
  struct Used {
    Int128 memory = 0;
    Int128 cpu = 0;
  };

  void find(const std::string& what) { findings_.add(where_ + what); }
  void expect(bool holds, const std::string& what) {
    if (!holds) find(what);
  }

  // Advances the time: the state at the end of an instant must fit, and counts until the next.
  void pass(Instant to) {
    check_nodes();
    YieldSums& sums = reading_.yields;
    if (!began_) sums.first = to;
    const Int128 span = began_ ? (to - now_).raw : 0;
    began_ = true;
    now_ = to;
    if (running_.empty()) return;
    const Yield lowest = running_.begin()->first;
    sums.lowest = std::min(sums.lowest, lowest);
    sums.lowest_time += span * lowest.raw;
    sums.yield_time += span * sum_;
    sums.job_time += span * static_cast<Int128>(running_.size());
    sums.busy += span;
  }

  static void accrue(JobHistory& job, Instant to) {
    const Instant from = std::max(job.since, job.stalled_until);
    if (to > from) job.virtual_time = job.virtual_time + (to - from) * job.rate;
    job.since = to;
  }

  // The rate since `before`, when the job stood as it still does.
  void check_part(const JobHistory& job, VirtualTime before) {
    if (job.virtual_time == before) return;
    for (std::size_t k = 0; k < steps_of(job); ++k) {
      const bool is_last = k + 1 == steps_of(job);
      const bool ended = !is_last && begin_of(job, k + 1) <= before.raw + kSlack;
      if (ended || begin_of(job, k) + kSlack >= job.virtual_time.raw) continue;
      const std::uint64_t wanted = tasks_of(job, k);
      if (job.tasks >= wanted || Int128{job.rate.raw} * wanted <= Int128{job.yield.raw} * job.tasks)
        continue;
      find("makes progress for all " + std::to_string(wanted) + " tasks of its step, and has " +
           std::to_string(job.tasks));
    }
  }

  void check_order(const JobHistory& job, const EventRow& row) {
    const bool has_run = job.virtual_time > VirtualTime{};
    const std::string& what = row.what;
    const bool placed = job.state == State::placed;
    const bool moves = row.placement != job.placement;
    bool fits = false;
    if (what == "submitted") fits = job.state == State::unknown && row.time == job.asked->submitted;
    if (what == "started") fits = !has_run && (job.state == State::waiting || (placed && moves));
    if (what == "resumed") fits = job.state == State::paused;
    if (what == "moved") fits = placed && moves;
    if (what == "grown") fits = placed && moves && only_more(job.placement, row.placement);
    if (what == "shrunk") fits = placed && moves && only_more(row.placement, job.placement);
    if (what == "yield") fits = placed && !moves && row.yield != job.yield;
    if (what == "rate") fits = !moves && row.yield == job.yield;
    if (what == "paused") fits = placed;
    if (what == "withdrawn") fits = placed && !has_run;
    if (what == "ended") fits = job.state != State::unknown && job.state != State::gone;
    if (!fits) find("cannot be '" + what + "' here");
  }

  void check_state(const JobHistory& job, const EventRow& row) {
    const std::uint64_t stand = units(row.placement);
    const bool nowhere =
        row.what == "submitted" || row.what == "paused" || row.what == "withdrawn" || row.what == "ended";
    if (nowhere) {
      expect(stand == 0 && row.yield.raw == 0, "should stand nowhere, with yield 0");
    } else if (row.what != "rate") {
      const bool same = stand == job.tasks || row.what == "grown" || row.what == "shrunk" ||
                        row.what == "resumed" || row.what == "started" || row.what == "moved";
      expect(same && has_come_to(job, stand),
             "has " + std::to_string(stand) + " tasks placed of " +
                 std::to_string(job.tasks > 0 ? job.tasks : job.asked->submission.demand.tasks));
      expect(row.yield.raw > 0, "is placed with yield 0");
    }
    const bool restarts = row.what == "resumed" || row.what == "moved";
    if (restarts && row.rate.raw > 0 && !evolves_)
      expect(row.stall >= penalty_, "stands still for less than the penalty");
    if (!nodes_.empty() && stand > 0)
      expect(row.placement.back().node.raw < nodes_.size(), "stands on a node that there is not");
  }

  void check_constraints(const JobHistory& job, const EventRow& row) {
    const Demand& demand = job.asked->submission.demand;
    if (!is_constrained(demand) && row.devices.empty()) return;
    const bool placed = job.state == State::placed;
    if (!row.placement.empty() && (!placed || row.placement != job.placement)) {
      if (const std::string why = fault_of_spread(demand, row.placement); !why.empty()) find(why);
    }
    if (const std::string why = devices_.fault_of(demand, row.placement, row.devices); !why.empty())
      find(why);
    const bool has_run = job.virtual_time > VirtualTime{};
    if (!demand.devices.any() || !placed || !has_run || row.what == "ended") return;
    expect(row.placement == job.placement, "holds devices and is moved or paused");
    expect(row.devices == job.devices, "gets other devices while it stands");
  }

  void count(JobHistory& job, const EventRow& row) {
    const Int128 memory = job.asked->submission.demand.memory.raw;
    if (row.what == "submitted") job.submitted = true;
    if (row.what == "started" && !job.started) job.started = row.time;
    if (row.what == "paused") {
      ++job.preemptions;
      job.preempted += memory * static_cast<Int128>(units(job.placement));
    }
    if (row.what == "moved") {
      ++job.migrations;
      job.migrated += memory * static_cast<Int128>(newcomers(job.placement, row.placement));
    }
    if (row.what != "ended") return;
    job.ended = row.time;
    const Int128 work = Int128{job.asked->runtime().raw} * kMillion;
    const Int128 over = job.virtual_time.raw - work;
    // An end is rounded up to a microsecond, during which it works at most at full speed.
    expect(row.cause != "completed" || (over >= 0 && over < kMillion),
           "has had " + std::to_string(job.virtual_time.to_seconds()) +
               " s at full speed at its end, not " + std::to_string(to_seconds(job.asked->runtime())));
  }

  void place(JobHistory& job, const EventRow& row) {
    hold(job, -1);
    job.placement = row.placement;
    if (!row.placement.empty()) job.tasks = units(row.placement);
    job.devices = row.devices;
    job.yield = row.yield;
    job.rate = row.rate;
    job.stalled_until = row.time + row.stall;
    hold(job, 1);
    if (row.what == "ended")
      job.state = State::gone;
    else if (!row.placement.empty())
      job.state = State::placed;
    else if (row.what == "paused")
      job.state = State::paused;
    else if (row.what != "rate")
      job.state = State::waiting;
  }

  void hold(const JobHistory& job, int sign) {
    if (job.placement.empty()) return;
    const Demand& demand = job.asked->submission.demand;
    sum_ += sign * job.yield.raw;
    if (sign > 0)
      running_.emplace(job.yield, job.asked->id);
    else
      running_.erase({job.yield, job.asked->id});
    const Int128 cpu = Int128{demand.need.raw} * job.yield.raw / kMillion;  // as caps are: rounded down
    for (const Share& share : job.placement) {
      if (share.node.raw >= used_.size()) continue;
      Used& used = used_[share.node.raw];
      used.memory += Int128{demand.memory.raw} * share.units * sign;
      used.cpu += cpu * share.units * sign;
      touched_.insert(share.node);
    }
    if (!job.devices.empty()) devices_.hold(demand, job.placement, job.devices, sign);
  }

  void check_nodes() {
    for (const NodeId id : touched_) {
      const Node& node = nodes_[id.raw];
      where_ = "at " + to_text(now_ - Instant{}) + " s node " + std::to_string(id.raw) + " ";
      expect(used_[id.raw].memory <= node.memory.raw, "holds more memory than it has");
      expect(used_[id.raw].cpu <= node.capacity.raw, "gives more CPU than it has");
      expect(devices_.fits(id), "gives a device twice");
    }
    touched_.clear();
  }

  const std::vector<Node>& nodes_;
  bool evolves_;  // some job does
  Duration penalty_;
  Findings& findings_;
  std::string where_;
  EventsReading reading_;
  bool began_ = false;
  Instant now_{-1};
  std::vector<Used> used_;
  DeviceLedger devices_;
  std::set<NodeId> touched_;                   // in this instant
  std::set<std::pair<Yield, JobId>> running_;  // by yield
  Int128 sum_ = 0;                             // of their yields
};

}  // namespace

Result<EventsReading> verify_events(const Workload& workload, const std::vector<Node>& nodes,
                                    Duration penalty, const std::string& path, Findings& findings) {
  auto rows = EventRows::open(path);
  if (!rows) return tl::unexpected(rows.error());
  EventsVerifier verifier(workload, nodes, penalty, findings);
  for (;;) {
    const auto row = rows->next();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return verifier.finish();
    verifier.take(**row);
  }
}

}  // namespace aliquot
