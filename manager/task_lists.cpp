#include "manager/task_lists.hpp"

#include <utility>

#include "manager/hypervisor/task_list.hpp"

namespace aliquot {

void TaskLists::look(const CoreState& state) {
  Lists now;
  for (const auto& [job, record] : state.records) {
    if (record.leaving || !has_task_list(*record.submission)) continue;
    std::vector<std::uint32_t> tasks;
    for (std::uint32_t task = 0; task < vm_count(record); ++task)
      if (!has_left(record.vms[task])) tasks.push_back(task);
    const auto known = told_.find(job);
    const bool is_told = known != told_.end() && known->second == tasks;
    const auto& list = now.emplace(job, std::move(tasks)).first->second;
    if (is_told) continue;
    files_.run([this, job = job, list]() -> std::function<void()> {
      auto written = write_task_list(spool_, job, list);
      if (written) return {};
      return [this, job, why = std::move(written.error().message)] {
        told_.erase(job);  // it is tried again in a second
        if (failed_.insert(job).second)
          warn_("task_list_not_written job=" + std::to_string(job.raw) + " why=\"" + why + "\"");
      };
    });
  }
  told_ = std::move(now);
  std::erase_if(failed_, [this](JobId job) { return !told_.contains(job); });
}

}  // namespace aliquot
