#include "manager/hypervisor/task_list.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "manager/hypervisor/files.hpp"

namespace aliquot {
namespace {

constexpr std::string_view kHead = "aliquot-tasks 1 ";

struct TaskRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

std::vector<TaskRange> ranges_of(const std::vector<std::uint32_t>& tasks) {
  std::vector<TaskRange> ranges;
  for (const std::uint32_t task : tasks) {
    if (!ranges.empty() && ranges.back().last + 1 == task)
      ranges.back().last = task;
    else
      ranges.push_back({task, task});
  }
  return ranges;
}

std::string print(const TaskRange& range) {
  const std::string first = std::to_string(range.first);
  return range.first == range.last ? first : first + "-" + std::to_string(range.last);
}

// None: it is not what print() prints.
std::optional<TaskRange> parse_range(std::string_view text) {
  TaskRange range;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, range.first);
  if (first.ec != std::errc{}) return std::nullopt;
  range.last = range.first;
  if (first.ptr == end) return range;
  const auto last = std::from_chars(first.ptr + 1, end, range.last);
  if (*first.ptr != '-' || last.ec != std::errc{} || last.ptr != end) return std::nullopt;
  return range;
}

// Empty: the block is no list.
std::vector<TaskRange> parse_block(std::string_view block) {
  const std::size_t end = block.find('\n');
  if (end == std::string_view::npos || !block.starts_with(kHead)) return {};
  std::vector<TaskRange> ranges;
  for (std::string_view rest = block.substr(kHead.size(), end - kHead.size()); !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto range = parse_range(rest.substr(0, comma));
    if (!range) return {};
    ranges.push_back(*range);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return ranges;
}

bool is_current(std::string_view block, const JobSpec& spec, std::uint32_t task) {
  const std::vector<TaskRange> ranges = parse_block(block);
  const auto names = [task](const TaskRange& range) { return range.first <= task && task <= range.last; };
  const auto is_known = [&](const TaskRange& range) { return range.last < spec.tasks.size(); };
  return std::ranges::any_of(ranges, names) && std::ranges::all_of(ranges, is_known);
}

}  // namespace

bool has_task_list(const Submission& job) {
  if (!job.network || job.network->is_site()) return false;
  const auto* image = std::get_if<ImageBoot>(&job.program);
  return std::holds_alternative<LinuxCommand>(job.program) || (image != nullptr && !image->argv.empty());
}

std::vector<std::uint32_t> tasks_of(const JobSpec& spec) {
  std::vector<std::uint32_t> tasks;
  for (std::uint32_t task = 0; task < spec.tasks.size(); ++task)
    if (!spec.tasks[task].left) tasks.push_back(task);
  return tasks;
}

std::string print_task_ranges(const std::vector<std::uint32_t>& tasks) {
  std::string text;
  for (const TaskRange& range : ranges_of(tasks)) text += (text.empty() ? "" : ",") + print(range);
  return text;
}

std::string task_list_block(const std::vector<std::uint32_t>& tasks) {
  std::string block(kHead);
  block += print_task_ranges(tasks) + "\n";
  if (block.size() > kTaskListBytes)
    block = std::string(kHead) + print({tasks.front(), tasks.back()}) + "\n";
  block.resize(kTaskListBytes, '\0');
  return block;
}

Result<void> provide_task_list(const Spool& spool, const JobSpec& spec, std::uint32_t task) {
  const std::string path = spool.task_list(spec.job);
  const std::string block = task_list_block(tasks_of(spec));
  if (auto made = create_with(path, block); !made) return made;
  const auto found = read_head(path, kTaskListBytes);
  if (!found) return tl::unexpected<Error>(found.error());
  return is_current(*found, spec, task) ? Result<void>{} : overwrite(path, block);
}

Result<void> write_task_list(const Spool& spool, JobId job, const std::vector<std::uint32_t>& tasks) {
  const std::string path = spool.task_list(job);
  auto written = overwrite(path, task_list_block(tasks));
  if (!written && written.error().kind == ErrorKind::not_found) return {};
  return written;
}

}  // namespace aliquot
