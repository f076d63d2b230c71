#include <sstream>
#include <string_view>

#include "monitor/ha_gauges.hpp"
#include "monitor/metric_table.hpp"

namespace aliquot {
namespace {

constexpr std::string_view kHead = R"(# Metrics

What `aliquotd` serves at `/metrics` (key `http` of the configuration; Prometheus text format 0.0.4).
This page is generated from the table in `monitor/metric_table.cpp`
(`build/release/bin/aliquot-metric-page > docs/metrics.md`); a test fails if it is stale.

Names follow https://prometheus.io/docs/practices/naming. No label is a job, a user or a path, so the
number of series depends only on the nodes and on the accounts that have jobs: at most 40 for each node,
18 for each of at most 256 accounts, and a few hundred others. The series of a node are removed when the
configuration no longer names it, those of an account ten minutes after its last job. A scrape reads
counters; it waits neither for the scheduler nor for a node.

Promised, granted and used CPU: the plan in force promises CPU to a job (need x yield), the hypervisor
acknowledges a cap for each VM (granted), and the VM uses part of it. CPU time that a VM was ready to use
and did not get is stolen (something else ran on the processor) or throttled (its own cap held it back).
Throttled time is known on the manager's own machine only. Example expressions:
`monitor/prometheus/aliquot.rules.yml`; dashboards: [dashboards.md](dashboards.md); alerts:
[runbooks](runbooks/README.md).

)";

constexpr std::string_view kHa = R"(
## Several managers

With `ha` in the configuration ([high-availability.md](high-availability.md)). A standby has the first
six, and no others.

)";

constexpr std::string_view kProcess = R"(
Further metrics, of the process itself: `process_cpu_seconds_total`, `process_start_time_seconds`,
`process_threads`, `process_virtual_memory_bytes`, `process_resident_memory_bytes`, `process_open_fds`,
`process_max_fds`.

`GET /healthz` answers `ok` while the process runs; `GET /readyz` answers 200 once a node is up, and 503
with the reason before that. Neither calls a hypervisor: they report the state of the loop within the last
second.
)";

std::string_view word(MetricType type) {
  switch (type) {
    case MetricType::counter:
      return "counter";
    case MetricType::gauge:
      return "gauge";
    case MetricType::histogram:
      break;
  }
  return "histogram";
}

// "a,b" -> "`a`, `b`".
std::string in_backticks(std::string_view names) {
  std::string text;
  while (!names.empty()) {
    const auto end = names.find(',');
    text += (text.empty() ? "`" : ", `") + std::string(names.substr(0, end)) + "`";
    names = end == std::string_view::npos ? "" : names.substr(end + 1);
  }
  return text;
}

}  // namespace

std::string metric_page() {
  std::ostringstream page;
  page << kHead << "| metric | type | unit | labels | meaning |\n|---|---|---|---|---|\n";
  for (const MetricRow& row : metric_table()) {
    page << "| `" << row.name << "` | " << word(row.type) << " | " << row.unit << " | "
         << in_backticks(row.labels) << " | " << row.help;
    if (!row.buckets.empty()) page << " Buckets to";
    for (const double bound : row.buckets) page << ' ' << bound;
    page << (row.buckets.empty() ? " |\n" : ". |\n");
  }
  page << "\n| label | values |\n|---|---|\n";
  for (const LabelRow& row : metric_labels()) page << "| `" << row.name << "` | " << row.values << " |\n";
  page << kProcess;
  page << kHa << "| metric | type | unit | labels | meaning |\n|---|---|---|---|---|\n";
  for (const HaGaugeRow& row : ha_gauge_table())
    page << "| `" << row.name << "` | gauge | " << row.unit << " | " << in_backticks(row.label) << " | "
         << row.help << " |\n";
  return page.str();
}

}  // namespace aliquot
