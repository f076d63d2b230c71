// The machines of a large cluster, without the machines: one model hypervisor (manager/hypervisor/model) in
// real time, of which each node's agent hosts its part. VMs outlive the agents' sessions, as they do on
// real nodes; what happens while a node has no session is seen by inspections, later.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "manager/hypervisor/agent/agent_server.hpp"
#include "manager/hypervisor/model/model_hypervisor.hpp"

namespace aliquot::bench {

struct SiteSize {
  std::uint32_t nodes = 1;
  std::uint32_t cores = 4;  // of each
  Memory memory;            // of each, to give to VMs
  Duration job;  // what a job takes alone, on average; each takes between half of it and half more
};

class ModelSite {
 public:
  explicit ModelSite(const SiteSize& size);
  ~ModelSite();
  ModelSite(const ModelSite&) = delete;
  ModelSite& operator=(const ModelSite&) = delete;

  // What the agent of any of the nodes opens: the part of the site that the manager's word names.
  [[nodiscard]] agent::OpenBackend backend();
  // Requests that broke the rules of the port (conformance_checker.hpp): how many, and the first of them.
  [[nodiscard]] std::pair<std::uint64_t, std::string> violations() const;

 private:
  friend class ModelNode;
  using Vm = std::pair<JobId, std::uint32_t>;  // job and task

  void attach(NodeId node, Hypervisor::Sink sink);
  void detach(NodeId node);
  void perform(NodeId node, const Action& action, const std::shared_ptr<const JobSpec>& spec);
  void inspect(NodeId node, std::vector<VmQuery> queries);
  [[nodiscard]] std::vector<VmSample> vms_on(NodeId node);
  void forget(JobId job);
  void lose_vms(NodeId node);

  // With the mutex.
  [[nodiscard]] Instant now() const;
  void go_on();
  void deliver(const Event& event);
  void say(NodeId node, const Event& event) const;
  [[nodiscard]] std::shared_ptr<const JobSpec> for_model(const JobSpec& spec);

  void run();  // the thread

  using Clock = std::chrono::steady_clock;
  const SiteSize size_;
  const Clock::time_point born_ = Clock::now();
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  ModelHypervisor hypervisor_;
  std::map<NodeId, Hypervisor::Sink> sessions_;
  std::map<Vm, NodeId> places_;                               // where the last action on it was done
  std::map<NodeId, std::set<JobId>> jobs_seen_;               // that have had a VM there
  std::map<JobId, std::vector<std::uint32_t>> incarnations_;  // the newest of each task
  std::thread thread_;
};

}  // namespace aliquot::bench
