// The metrics of a running manager (monitor/metric_table.hpp lists them), as Prometheus reads them.
//
// An observer: it counts what each step brings. What is read off the whole cluster (jobs by state, yields,
// accounts, nodes, why jobs wait) costs time in proportion to the jobs, so of a large cluster it is read
// off at most once a second, and by refresh(), which the loop calls when it has nothing else to do. Never
// asks anybody but the functions that are handed in, which must be quick.
//
// All calls but text() belong to one thread, the loop's; text() may be called by any.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/account_gauges.hpp"
#include "monitor/observer.hpp"
#include "monitor/vm_usage.hpp"
#include "policies/power/energy.hpp"

namespace aliquot {

// Why this job, which does not run, does not.
using ExplainReason = std::function<Reason(const ClusterView&, JobId)>;
// The account of the job, which may be empty; no value: the job is not known any more.
using AccountOf = std::function<std::optional<std::string_view>(JobId)>;
// What every VM that runs may use now.
using CapsInForce = std::function<std::vector<VmCap>()>;
// What the job is charged of the draw of its nodes (cpu_use.hpp).
using ChargedDraw = std::function<power::Watts(JobId)>;
// What its user has declared a task of the job to need.
struct DeclaredNeeds {
  Cpu cpu;
  Memory memory;
};
using Declared = std::function<DeclaredNeeds(JobId)>;
// What operators have planned for nodes, and what keeps VMs where they are.
struct UpkeepGauges {
  std::optional<Instant> next_window{};  // starts then
  std::uint32_t nodes_in_windows = 0;    // that have started
  std::uint32_t over_budget = 0;         // VMs that wait while as many are moved as may be
  std::uint32_t cooling_down = 0;        // VMs of jobs that have been moved lately
};

struct MetricsOptions {
  std::string version;
  std::string revision;
  std::string libvirt;
  // Each may be null: then nothing is told of it.
  ExplainReason explain;
  std::function<double()> unix_time;  // seconds; of the one series that is a date
  AccountOf account = {};
  CapsInForce caps = {};
  ChargedDraw draw = {};
  Declared declared = {};
  std::function<UpkeepGauges()> upkeep = {};
};

class Metrics final : public Observer {
 public:
  static constexpr std::size_t kSmallCluster = 64;  // with no more jobs, every step refreshes
  static constexpr Duration kRefreshEvery = seconds(1);
  // With more jobs than that a refresh, which looks at all of them, is due so much less often.
  static constexpr std::size_t kJobsASecond = 4000;

  explicit Metrics(MetricsOptions options);
  ~Metrics() override;

  void on_step(const Step& step, const ClusterView& after) override;
  void refresh(const ClusterView& view, Instant now);
  // If it is due.
  void keep_fresh(const ClusterView& view, Instant now);

  // What VMs have used since their counters were read last.
  void vm_used(const std::vector<UsageIncrease>& increases, const ClusterView& view);
  // What accounts are entitled to and have used of it, by name. Never called: nothing is kept of it.
  void show_accounts(const std::vector<AccountGauges>& all);
  // What the guests of running VMs say of their memory, of all nodes.
  void memory_told(std::vector<VmMemory> of_vms);
  // A request of the job API was answered; `code` is "ok" or the error's name.
  void request_answered(const std::string& method, const std::string& code, Duration took);
  // A call of a node's libvirt came back, or missed its deadline; `error` is its name, empty if it
  // succeeded. Of all nodes together by kind of call, of each node all kinds together: both would be series
  // by the ten thousand.
  void libvirt_called(const std::string& node, const std::string& call, Duration took,
                      const std::string& error);
  // A migration in which the guest stood still for so long.
  void migrated(Duration downtime);
  // The policy in force and its period (none: it has none). Also at the start.
  void policy_in_force(const std::string& name, std::optional<Duration> period);
  void mode_in_force(Mode mode);
  void epoch(std::uint64_t number);
  // A step reached the disk so long after it was handed to the store.
  void step_stored(Duration took);
  void store_size(std::uintmax_t bytes);
  // The spool's free space, the part of it that stays in reserve, and the output of ended jobs.
  void spool(Memory free, Memory reserve, Memory ended);
  // The image store: names, and what their contents take.
  void images(std::size_t count, Memory size);
  void store_blocked(bool blocked);
  void held_by_other_cluster(const std::string& node, bool held);
  void messages_refused(const std::string& node, std::uint64_t count);
  void epochs_refused(const std::string& node, std::uint64_t count);
  // What the node has drawn since the manager was started.
  void energy(const std::string& node, double joules);
  // VMs of this cluster on the node of which no job knows.
  void orphans(const std::string& node, std::size_t count);
  // Wall clock less the manager's own.
  void clock_offset(Duration offset);
  // Replies that were dropped since the start, by cause.
  void request_from(const char* origin);  // local, remote
  // Of remote clients since the start: handshakes that failed, and requests beyond the rate of their key.
  void remote_refused(std::uint64_t handshakes, std::uint64_t too_many);
  void audit_lost(std::uint64_t records);
  void replies_dropped(std::uint64_t gone, std::uint64_t slow);
  void reloaded(bool accepted);
  // Found by the last check of the whole state.
  void state_violations(std::size_t count);

  // The text format 0.0.4, with the metrics of the process itself.
  [[nodiscard]] std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;  // keeps the client library out of this header
};

}  // namespace aliquot
