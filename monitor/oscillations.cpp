#include "monitor/oscillations.hpp"

namespace aliquot {

bool Oscillations::move(Known& job, std::uint32_t task, NodeId from, NodeId to, Instant now) {
  if (from == to) return false;
  const auto left = job.left.find(task);
  const bool back = left != job.left.end() && left->second.node == to && now - left->second.at < kWindow;
  job.left[task] = {from, now};
  return back;
}

Oscillations::Count Oscillations::take(const Action& action, Instant now) {
  Count count;
  const TaskRun tasks = head(action).tasks;
  const JobId id = head(action).job;
  for (std::uint32_t task = tasks.first; task < tasks.first + tasks.count; ++task) {
    const std::uint32_t at = task - tasks.first;
    if (const auto* migrate = std::get_if<Migrate>(&action)) {
      count.moved_back += move(jobs_[id], task, migrate->from[at], migrate->to[at], now) ? 1 : 0;
    } else if (const auto* save = std::get_if<Save>(&action)) {
      Known& job = jobs_[id];
      job.saved[task] = save->nodes[at];
      count.paused_again += job.resumed && now - job.resumed_at < kWindow ? 1 : 0;
      job.resumed = false;  // once for a job, however many tasks
    } else if (const auto* restore = std::get_if<Restore>(&action)) {
      Known& job = jobs_[id];
      const auto saved = job.saved.find(task);
      if (saved != job.saved.end())
        count.moved_back += move(job, task, saved->second, restore->nodes[at], now) ? 1 : 0;
      job.resumed = true;
      job.resumed_at = now;
    }
  }
  return count;
}

}  // namespace aliquot
