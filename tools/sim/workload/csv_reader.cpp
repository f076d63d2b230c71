#include <algorithm>
#include <map>
#include <set>

#include "monitor/profile_text.hpp"
#include "tools/sim/workload/account_names.hpp"
#include "tools/sim/workload/columns.hpp"
#include "tools/sim/workload/csv_line.hpp"
#include "tools/sim/workload/job_lines.hpp"
#include "tools/sim/workload/limits.hpp"
#include "tools/sim/workload/placement_columns.hpp"
#include "tools/sim/workload/readers.hpp"
#include "tools/sim/workload/true_need_text.hpp"
#include "tools/sim/workload/user_numbers.hpp"

namespace aliquot {
namespace {

using Columns = std::map<std::string, std::size_t, std::less<>>;

std::string joined(const auto& names) {
  std::string text;
  for (const auto& name : names) text.append(text.empty() ? "" : ",").append(name);
  return text;
}

Result<Columns> read_header(const std::string& path, std::uint64_t line, const std::string& header) {
  const std::string where = path + ":" + std::to_string(line) + ": ";
  const auto names = split_csv(header);
  if (!names) return fail(names.error().kind, where + names.error().message);
  Columns columns;
  for (std::size_t i = 0; i < names->size(); ++i) {
    const std::string& name = (*names)[i];
    const auto is = [&](std::string_view other) { return other == name; };
    if (std::ranges::none_of(kRequiredColumns, is) && std::ranges::none_of(kUsedColumns, is) &&
        std::ranges::none_of(kKnownColumns, is)) {
      return fail(ErrorKind::invalid_argument, where + "column '" + name.substr(0, 40) +
                                                   "' is not known; a workload has the columns " +
                                                   joined(kRequiredColumns) + " and may have " +
                                                   joined(kUsedColumns) + "," + joined(kKnownColumns));
    }
    if (!columns.emplace(name, i).second) {
      return fail(ErrorKind::invalid_argument, where + "column '" + name + "' stands there twice");
    }
  }
  for (const auto name : kRequiredColumns) {
    if (columns.contains(name)) continue;
    return fail(ErrorKind::invalid_argument, where + "column '" + std::string(name) +
                                                 "' is missing; the header is " + joined(kRequiredColumns) +
                                                 ", and more columns if wanted");
  }
  return columns;
}

// Takes the fields of one line by name; the first that is wrong stops the reading of the line.
class Row {
 public:
  Row(const Columns& columns, std::vector<std::string> fields)
      : columns_(columns), fields_(std::move(fields)) {}

  [[nodiscard]] const std::string& text(std::string_view name) const {
    static const std::string none;
    const auto column = columns_.find(name);
    return column == columns_.end() ? none : fields_[column->second];
  }
  std::uint64_t count(std::string_view name, std::uint64_t least, std::uint64_t most) {
    const auto value = parse_count(text(name), most);
    if (!value) return reject(name, value.error().message), 0;
    if (*value < least) reject(name, "'" + text(name) + "' is less than " + std::to_string(least));
    return *value;
  }
  // In [0, most], or in (0, most] if it must be positive.
  Decimal number(std::string_view name, bool positive, Decimal most) {
    const auto value = parse_decimal(text(name));
    if (!value) return reject(name, value.error().message), Decimal{};
    if (value->pico < 0) reject(name, "'" + text(name) + "' is negative");
    if (positive && value->pico == 0) reject(name, "must be more than 0");
    if (*value > most) reject(name, "'" + text(name) + "' is more than " + to_text(most));
    return *value;
  }
  // The later steps of an evolving job of so many tasks; empty for any other.
  std::vector<LaterStep> evolution(std::uint32_t tasks) {
    if (text(kEvolution).empty()) return {};
    auto profile = parse_profile(text(kEvolution));
    if (!profile) return reject(kEvolution, profile.error().message), std::vector<LaterStep>();
    if (profile->tasks != tasks)
      reject(kEvolution, "'" + text(kEvolution) + "' begins with " + std::to_string(profile->tasks) +
                             " tasks, and the job with " + std::to_string(tasks));
    return std::move(profile->later);
  }
  // Empty: it needs what it declares.
  TrueNeeds true_needs(Cpu capacity) {
    if (text(kTrueNeed).empty()) return {};
    auto needs = parse_true_needs(text(kTrueNeed), capacity);
    if (!needs) return reject(kTrueNeed, needs.error().message), TrueNeeds();
    return *std::move(needs);
  }
  // What is not a number: bounded, and without tabs, so that every format can hold it.
  void check_word(std::string_view name) {
    constexpr std::size_t most = 1'000;
    const std::string& word = text(name);
    if (word.size() > most) reject(name, "has more than " + std::to_string(most) + " characters");
    if (word.find('\t') != std::string::npos) reject(name, "has a tab");
  }
  [[nodiscard]] const std::string& wrong() const { return wrong_; }

 private:
  void reject(std::string_view name, const std::string& what) {
    if (wrong_.empty()) wrong_.append(name).append(": ").append(what);
  }

  const Columns& columns_;
  std::vector<std::string> fields_;
  std::string wrong_;
};

TraceJob read_job(Row& row, const ReadOptions& options) {
  TraceJob job;
  job.id.raw = row.count("job", 0, kLargestJobId);
  job.submitted.raw = to_duration(row.number("submit", false, kLatestSubmit)).raw;
  job.cpu_need = row.number("cpu_need", true, Decimal{kPico});
  job.memory = row.number("memory", false, Decimal{kPico});
  job.tasks = static_cast<std::uint32_t>(row.count("tasks", 1, kMostTasks));
  job.runtime = to_duration(row.number("runtime", true, kLongestRuntime));
  if (!row.text("estimate").empty() && !options.perfect_estimates) {
    job.estimate = to_duration(row.number("estimate", true, kLatestSubmit));
  }
  return job;
}

// The most tasks that the job ever has.
std::uint32_t most_tasks(const WorkloadJob& job, const std::vector<LaterStep>& later) {
  std::uint32_t most = job.submission.demand.tasks;
  for (const LaterStep& step : later) most = std::max(most, step.tasks);
  return most;
}

bool fits(const WorkloadJob& job, const std::vector<LaterStep>& later, const ReadOptions& options) {
  Demand largest = job.submission.demand;
  largest.tasks = most_tasks(job, later);
  return options.admits(largest);
}

std::string does_not_fit(const WorkloadJob& job, std::uint32_t tasks, const ClusterShape& shape) {
  return "job " + std::to_string(job.id.raw) + ": " + std::to_string(tasks) + " tasks of " +
         to_text(job.memory) + " of a node's memory do not fit into " + std::to_string(shape.nodes) +
         " empty nodes: give more nodes, or take the job out";
}

void note_unused(const Columns& columns, Workload& workload) {
  for (const auto& [name, index] : columns) {
    const bool is_used =
        is_placement_column(name) || name == kEvolution || name == kTrueNeed || name == kUser;
    if (is_known_column(name) && !is_used)
      workload.notes.push_back("column '" + name + "' is not used by this version");
  }
}

}  // namespace

Result<Workload> read_csv(TextSource& source, const std::string& path, const std::string& header,
                          const ReadOptions& options) {
  const auto columns = read_header(path, source.line(), header);
  if (!columns) return tl::unexpected(columns.error());
  Workload workload;
  if (!options.as_written) note_unused(*columns, workload);
  const auto is_placement = [](const auto& column) { return is_placement_column(column.first); };
  const bool constrained = !options.as_written && std::ranges::any_of(*columns, is_placement);
  workload.device_models = options.shape.device_models();
  const PlacementColumns placement =
      constrained ? PlacementColumns(options.shape.make_nodes(), workload.device_models)
                  : PlacementColumns();
  InputErrors errors(path);
  JobLines lines;
  AccountNames accounts;
  UserNumbers users;
  for (;;) {
    const auto line = source.next();
    if (!line) return tl::unexpected(line.error());
    if (!*line) break;
    if ((*line)->find_first_not_of(" \t") == std::string_view::npos) continue;
    auto fields = split_csv(**line);
    if (!fields || fields->size() != columns->size()) {
      errors.add(source.line(), fields
                                    ? std::to_string(fields->size()) + " fields where the header names " +
                                          std::to_string(columns->size())
                                    : fields.error().message);
      continue;
    }
    Row row(*columns, std::move(*fields));
    WorkloadJob job = make_job(read_job(row, options), options);
    job.submission.account = accounts.index_of(row.text("account"));
    job.submission.user = users.number_of(row.text(kUser));
    for (const auto& [name, index] : *columns) {
      if (is_known_column(name) || name == "account") row.check_word(name);
    }
    std::vector<LaterStep> later = row.evolution(job.submission.demand.tasks);
    TrueNeeds true_needs = row.true_needs(options.shape.capacity());
    if (!row.wrong().empty()) {
      errors.add(source.line(), row.wrong());
      continue;
    }
    if (constrained) {
      const auto text = [&](std::string_view column) -> const std::string& { return row.text(column); };
      if (const std::string why = placement.read(text, job.submission.demand); !why.empty()) {
        errors.add(source.line(), "job " + std::to_string(job.id.raw) + ": " + why);
        continue;
      }
    }
    lines.note(job.id, source.line());
    if (options.as_written) {
      for (const auto& [name, index] : *columns) {
        if (is_known_column(name)) workload.extra_columns.add(job.id, name, row.text(name));
      }
    }
    if (!fits(job, later, options)) {
      errors.add(source.line(), does_not_fit(job, most_tasks(job, later), options.shape));
    } else if (workload.jobs.size() == kMostJobs) {
      return fail(ErrorKind::too_large, path + ": more than " + std::to_string(kMostJobs) + " jobs");
    } else {
      if (!later.empty()) workload.profiles[job.id] = std::move(later);
      if (!true_needs.empty()) workload.true_needs[job.id] = std::move(true_needs);
      workload.jobs.push_back(std::move(job));
    }
  }
  lines.report_duplicates(errors);
  workload.accounts = accounts.take();
  if (errors.any()) return errors.failure();
  return workload;
}

}  // namespace aliquot
