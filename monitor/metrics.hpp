// The metrics of a running manager (monitor/metric_table.hpp lists them), as Prometheus reads them.
//
// An observer: it counts what each step brings. What is read off the whole cluster (jobs by state, yields,
// nodes, why jobs wait) costs time in proportion to the jobs, so of a large cluster it is read off at most
// once a second, and by refresh(), which the loop calls when it has samples or nothing else to do. Never
// asks anybody; the explanation of waiting jobs is a function that is handed in, for at most kMaxExplained
// jobs at a time.
//
// All calls but text() belong to one thread, the loop's; text() may be called by any.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "monitor/observer.hpp"
#include "monitor/vm_usage.hpp"

namespace aliquot {

// Why this job, which does not run, does not. Must be quick; may be null.
using ExplainReason = std::function<Reason(const ClusterView&, JobId)>;

struct MetricsOptions {
  std::string version;
  std::string revision;
  std::string libvirt;
  ExplainReason explain;
  std::function<double()> unix_time;  // seconds; of the one series that is a date
};

class Metrics final : public Observer {
 public:
  static constexpr std::size_t kMaxExplained = 256;
  static constexpr std::size_t kSmallCluster = 64;  // with no more jobs, every step refreshes
  static constexpr Duration kRefreshEvery = seconds(1);

  explicit Metrics(MetricsOptions options);
  ~Metrics() override;

  void on_step(const Step& step, const ClusterView& after) override;
  void refresh(const ClusterView& view);

  // The counters of the VMs of one node or of several, as sampled.
  void vm_usage(const std::vector<VmUsage>& samples, const ClusterView& view);
  // A request of the job API was answered; `code` is "ok" or the error's name.
  void request_answered(const std::string& method, const std::string& code);
  // The policy in force and its period (none: it has none). Also at the start.
  void policy_in_force(const std::string& name, std::optional<Duration> period);
  void mode_in_force(Mode mode);
  void epoch(std::uint64_t number);
  void reloaded(bool accepted);

  // The text format 0.0.4, with the metrics of the process itself.
  [[nodiscard]] std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;  // keeps the client library out of this header
};

}  // namespace aliquot
