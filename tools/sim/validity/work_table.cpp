#include "tools/sim/validity/work_table.hpp"

#include "tools/sim/decimal.hpp"
#include "tools/sim/workload/csv_line.hpp"
#include "tools/sim/workload/limits.hpp"
#include "tools/sim/workload/text_source.hpp"

namespace aliquot {
namespace {

constexpr std::string_view kHeader = "job,measured,expected";

Result<Duration> seconds_of(const std::string& text) {
  const auto value = parse_decimal(text);
  if (!value) return tl::unexpected(value.error());
  if (*value > kLongestRuntime) return fail(ErrorKind::invalid_argument, "'" + text + "' is too long");
  const Duration duration = to_duration(*value);
  if (duration.raw <= 0) return fail(ErrorKind::invalid_argument, "'" + text + "' is not above 0");
  return duration;
}

Result<void> take_line(std::string_view line, WorkTable& table) {
  const auto fields = split_csv(line);
  if (!fields) return tl::unexpected(fields.error());
  if (fields->size() != 3) return fail(ErrorKind::invalid_argument, "three fields are wanted");
  const auto job = parse_count((*fields)[0], kLargestJobId);
  if (!job) return tl::unexpected(job.error());
  const auto measured = seconds_of((*fields)[1]);
  if (!measured) return tl::unexpected(measured.error());
  const auto expected = seconds_of((*fields)[2]);
  if (!expected) return tl::unexpected(expected.error());
  if (!table.emplace(JobId{*job}, Work{*measured, *expected}).second)
    return fail(ErrorKind::invalid_argument, "job " + (*fields)[0] + " stands there already");
  if (table.size() > kMostJobs) return fail(ErrorKind::too_large, "too many jobs");
  return {};
}

}  // namespace

Result<WorkTable> read_work_table(const std::string& path) {
  auto source = TextSource::open(path);
  if (!source) return tl::unexpected(source.error());
  const auto bad = [&](const std::string& why) {
    return fail(ErrorKind::invalid_argument, path + ":" + std::to_string(source->line()) + ": " + why);
  };
  WorkTable table;
  for (bool first = true;; first = false) {
    const auto line = source->next();
    if (!line) return tl::unexpected(line.error());
    if (!*line) break;
    if (first && **line != kHeader) return bad("the first line is not " + std::string(kHeader));
    if (first || (*line)->empty()) continue;
    if (auto taken = take_line(**line, table); !taken) return bad(taken.error().message);
  }
  if (table.empty()) return fail(ErrorKind::invalid_argument, path + ": no job stands in it");
  return table;
}

}  // namespace aliquot
