// aliquot-metric-page: prints docs/metrics.md.
#include <iostream>

#include "monitor/metric_table.hpp"

int main() {
  std::cout << aliquot::metric_page();
  return std::cout.flush() ? 0 : 1;
}
