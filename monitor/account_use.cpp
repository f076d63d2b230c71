#include "monitor/account_use.hpp"

#include <algorithm>
#include <cmath>

#include "monitor/outcome.hpp"

namespace aliquot {

void PartialSum::add(std::optional<Duration> more) {
  if (more) sum += *more;
  ++(more ? known : unknown);
}

void PartialSum::add(const PartialSum& more) {
  sum += more.sum;
  known += more.known;
  unknown += more.unknown;
}

void StretchTotals::add(double stretch) {
  const auto millionths = std::llround(stretch * 1e6);
  ++jobs;
  sum += millionths;
  most = std::max<std::int64_t>(most, millionths);
}

void StretchTotals::add(const StretchTotals& more) {
  jobs += more.jobs;
  sum += more.sum;
  most = std::max(most, more.most);
}

void CpuTotals::add(const JobUse& job) {
  promised += job.promised;
  granted += job.granted;
  energy += job.energy;
  busy_granted += job.busy.granted;
  busy_used += job.busy.used;
  const auto all = job.used();
  if (!all && job.granted.raw == 0) return;  // it never ran: there is nothing to tell
  used.add(all ? std::optional(all->cpu) : std::nullopt);
  stolen.add(all ? all->stolen() : std::nullopt);
  throttled.add(all ? all->throttled : std::nullopt);
}

void CpuTotals::add(const CpuTotals& more) {
  promised += more.promised;
  granted += more.granted;
  energy += more.energy;
  used.add(more.used);
  stolen.add(more.stolen);
  throttled.add(more.throttled);
  busy_granted += more.busy_granted;
  busy_used += more.busy_used;
}

void AccountUse::add(const JobOutcome& ended, const std::optional<JobUse>& use) {
  switch (ended.result) {
    case JobResult::completed:
      ++completed;
      stretch.add(service_of(ended).bounded_stretch);
      break;
    case JobResult::failed:
      ++failed;
      break;
    case JobResult::cancelled:
      ++cancelled;
      break;
    case JobResult::timed_out:
      ++timed_out;
      break;
  }
  if (use) cpu.add(*use);
}

}  // namespace aliquot
