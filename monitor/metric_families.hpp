// The families of the metric table on a Prometheus registry. Built once; the references that are handed out
// stay good as long as this lives. Thread-safe: one thread counts while another collects.
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

  // The series of these labels; a new one if there is room, else the one in which every label is "other".
  // The metric must be of that type.
  prometheus::Counter& counter(Metric metric, const Labels& labels = {});
  prometheus::Gauge& gauge(Metric metric, const Labels& labels = {});
  prometheus::Histogram& histogram(Metric metric, const Labels& labels = {});
  // The series is gone, and its room is free. What was handed out for it must not be used any more.
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
  std::vector<std::map<Labels, void*>> known_;  // per metric: what is there, by labels
};

}  // namespace aliquot
