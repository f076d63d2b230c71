// The metric families of the metric table in a Prometheus registry. Built once; returned references are
// valid for the lifetime of this object. Thread-safe: one thread may count while another collects.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "monitor/metric_table.hpp"

namespace aliquot {

class MetricFamilies {
 public:
  using Labels = std::map<std::string, std::string>;

  MetricFamilies();

  // The series with these labels; a new one below the limit of the family, otherwise the one whose labels
  // are all "other". The metric must be of that type.
  prometheus::Counter& counter(Metric metric, const Labels& labels = {});
  prometheus::Gauge& gauge(Metric metric, const Labels& labels = {});
  prometheus::Histogram& histogram(Metric metric, const Labels& labels = {});
  // Removes the series. References to it must not be used any more.
  void remove(Metric metric, const Labels& labels);

  [[nodiscard]] std::vector<prometheus::MetricFamily> collect() const { return registry_.Collect(); }

 private:
  using Family =
      std::variant<prometheus::Family<prometheus::Counter>*, prometheus::Family<prometheus::Gauge>*,
                   prometheus::Family<prometheus::Histogram>*>;
  template <class Series, class... Args>
  Series& series(Metric metric, const Labels& labels, const Args&... args);

  prometheus::Registry registry_;
  std::vector<Family> families_;
  std::vector<std::map<Labels, void*>> known_;  // for each metric: the existing series, by labels
};

}  // namespace aliquot
