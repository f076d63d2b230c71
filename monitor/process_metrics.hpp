// The standard metrics of the process (process_cpu_seconds_total and others), read from /proc/self at each
// scrape. A value that cannot be read is left out.
#pragma once

#include <prometheus/metric_family.h>

#include <vector>

namespace aliquot {

[[nodiscard]] std::vector<prometheus::MetricFamily> process_metrics();

}  // namespace aliquot
