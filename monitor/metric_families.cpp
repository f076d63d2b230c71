#include "monitor/metric_families.hpp"

namespace aliquot {

MetricFamilies::MetricFamilies() {
  for (const MetricRow& row : metric_table()) {
    switch (row.type) {
      case MetricType::counter:
        families_.emplace_back(
            &prometheus::BuildCounter().Name(row.name).Help(row.help).Register(registry_));
        break;
      case MetricType::gauge:
        families_.emplace_back(&prometheus::BuildGauge().Name(row.name).Help(row.help).Register(registry_));
        break;
      case MetricType::histogram:
        families_.emplace_back(
            &prometheus::BuildHistogram().Name(row.name).Help(row.help).Register(registry_));
        break;
    }
  }
  known_.resize(families_.size());
}

template <class Series, class... Args>
Series& MetricFamilies::series(Metric metric, const Labels& labels, const Args&... args) {
  const auto index = static_cast<std::size_t>(metric);
  auto& known = known_[index];
  if (const auto found = known.find(labels); found != known.end())
    return *static_cast<Series*>(found->second);
  Labels taken = labels;
  if (known.size() >= metric_table()[index].max_series) {
    for (auto& [name, value] : taken) value = "other";
  }
  auto& made =
      std::get<prometheus::Family<Series>*>(families_[index])->Add({taken.begin(), taken.end()}, args...);
  known.emplace(std::move(taken), &made);
  return made;
}

prometheus::Counter& MetricFamilies::counter(Metric metric, const Labels& labels) {
  return series<prometheus::Counter>(metric, labels);
}

prometheus::Gauge& MetricFamilies::gauge(Metric metric, const Labels& labels) {
  return series<prometheus::Gauge>(metric, labels);
}

prometheus::Histogram& MetricFamilies::histogram(Metric metric, const Labels& labels) {
  return series<prometheus::Histogram>(metric, labels,
                                       metric_table()[static_cast<std::size_t>(metric)].buckets);
}

void MetricFamilies::remove(Metric metric, const Labels& labels) {
  const auto index = static_cast<std::size_t>(metric);
  const auto found = known_[index].find(labels);
  if (found == known_[index].end()) return;
  std::visit(
      [&]<class Series>(prometheus::Family<Series>* family) {
        family->Remove(static_cast<Series*>(found->second));
      },
      families_[index]);
  known_[index].erase(found);
}

}  // namespace aliquot
