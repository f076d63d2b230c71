// docs/metrics.md, written from the metric table: what is measured, and how it is labelled. Pure.
#pragma once

#include <string>

namespace aliquot {

[[nodiscard]] std::string metric_page();

}  // namespace aliquot
