#include "tools/sim/verify/jobs_table.hpp"

#include <algorithm>

#include "tools/sim/workload/csv_line.hpp"
#include "tools/sim/workload/limits.hpp"
#include "tools/sim/workload/text_source.hpp"

namespace aliquot {
namespace {

enum Column : std::size_t {
  job,
  submit,
  start,
  end,
  tasks,
  runtime,
  virtual_time,
  preemptions,
  migrations,
  columns
};
constexpr std::string_view kNames[columns] = {
    "job", "submit", "start", "end", "tasks", "runtime", "virtual_time", "preemptions", "migrations"};

Result<JobsTableRow> row_of(const std::vector<std::string>& fields, const std::size_t (&at)[columns]) {
  Decimal values[columns];
  for (std::size_t c = 0; c < columns; ++c) {
    if (at[c] >= fields.size()) return fail(ErrorKind::invalid_argument, "too few fields");
    const auto value = parse_decimal(fields[at[c]]);
    const std::string name(kNames[c]);
    if (!value) return fail(ErrorKind::invalid_argument, name + ": " + value.error().message);
    if (value->pico < 0) return fail(ErrorKind::invalid_argument, name + ": is negative");
    values[c] = *value;
  }
  const auto whole = [&](Column c) { return static_cast<std::uint64_t>(values[c].pico / kPico); };
  return JobsTableRow{{whole(job)},         values[submit],     values[start],
                      values[end],          whole(tasks),       values[runtime],
                      values[virtual_time], whole(preemptions), whole(migrations)};
}

}  // namespace

Result<std::vector<JobsTableRow>> read_jobs_table(const std::string& path) {
  auto source = TextSource::open(path);
  if (!source) return tl::unexpected(source.error());
  std::vector<JobsTableRow> rows;
  std::size_t at[columns] = {};
  for (;;) {
    const auto line = source->next();
    if (!line) return tl::unexpected(line.error());
    if (!*line) return rows;
    const auto fields = split_csv(**line);
    const std::string where = path + ":" + std::to_string(source->line()) + ": ";
    if (!fields) return fail(fields.error().kind, where + fields.error().message);
    if (source->line() == 1) {
      for (std::size_t c = 0; c < columns; ++c) {
        const auto found = std::ranges::find(*fields, kNames[c]);
        at[c] = static_cast<std::size_t>(found - fields->begin());
      }
      continue;
    }
    const auto row = row_of(*fields, at);
    if (!row) return fail(row.error().kind, where + row.error().message);
    rows.push_back(*row);
  }
}

}  // namespace aliquot
