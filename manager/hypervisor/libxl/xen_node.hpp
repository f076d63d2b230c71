// The VMs of this cluster on a Xen machine: which domain each of them is, what is under way for it, and how
// it ends. Everything but events() and files() is called on the loop's thread.
//
// An ended domain stays, shut down, until something destroys it; so does what its guest left in xenstore.
// The node therefore reads the exit status of an ended guest, adds it to the status file in the spool,
// destroys the domain, and then reports the end: the memory is free by then. A guest that ends while no
// manager runs is found by the next one.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "manager/hypervisor/closable_sink.hpp"
#include "manager/hypervisor/libxl/libxl_hypervisor.hpp"
#include "manager/hypervisor/libxl/task_config.hpp"
#include "manager/hypervisor/libxl/xen_domain.hpp"
#include "manager/hypervisor/task_files.hpp"

namespace aliquot {

struct XenVm {
  VmIdentity identity;
  Uuid uuid{};
  std::optional<std::uint32_t> domain;  // that is watched
  libxl_evgen_domain_death* watch = nullptr;
  std::uint64_t turn = 0;  // not 0: an action, or its end, is under way
  OpId op;                 // of that action
  std::deque<std::function<void()>> waiting;
  // What NodeHypervisor::prepare_move has announced or made: the move whose save is due on this node, and
  // the move whose restore is due here, with the unfinished domain that has the memory already.
  OpId outgoing_move;
  struct Incoming {
    OpId move;
    std::uint32_t domain = 0;
  };
  std::optional<Incoming> incoming;
};

class XenNode {
 public:
  XenNode(LibxlSetup setup, Hypervisor::Sink sink);

  // Adopts the VMs of the cluster that are here, and reports the node as up.
  void begin(XenLoop& xen);
  void on_end(const DomainEnd& end);
  void inspect(const VmQuery& query);
  void sample(NodeId node, const Hypervisor::SampleSink& done);
  void set_departures(const Hypervisor::SampleSink& sink) { departures_ = sink; }
  void forget(JobId job);
  // Destroys the domain with this UUID, if it is there.
  void destroy(const Uuid& uuid, std::function<void(Result<void>)> done);
  // Destroys all domains of this cluster, which are of an earlier time, and says how many there were.
  void clear(std::function<void(Result<std::uint32_t>)> done);

  [[nodiscard]] const LibxlSetup& setup() const { return setup_; }
  [[nodiscard]] const TaskFileSettings& files() const { return files_; }
  [[nodiscard]] ClosableSink& events() { return events_; }
  // On any thread.
  [[nodiscard]] const LiveLimit& max_output() const { return max_output_; }
  [[nodiscard]] bool held_by_other_cluster() const { return held_by_other_; }
  [[nodiscard]] XenLoop& xen() { return *xen_; }

  [[nodiscard]] VmIdentity identity(const JobSpec& spec, std::uint32_t task) const {
    return {setup_.cluster, spec.job, task, spec.tasks[task].incarnation, setup_.epoch};
  }
  [[nodiscard]] Result<TaskConfig> config(const JobSpec& spec, std::uint32_t task, XenGuests guests) const;

  // For the actions on a VM. Of one VM one thing is under way at a time; others wait for their turn.
  [[nodiscard]] XenVm& vm(const VmIdentity& identity);
  void take_turn(const Uuid& uuid, OpId op, std::function<void(std::uint64_t turn)> work);
  // Ends that turn, if it is still under way.
  void end_turn(const Uuid& uuid, std::uint64_t turn);
  // Reports the end of this domain from now on.
  Result<void> watch(XenVm& vm, std::uint32_t domain);
  void unwatch(XenVm& vm);
  // Resumes a domain whose save has failed, and watches it anew: libxl reports one shutdown of a domain for
  // each watch, and the suspension was one.
  void resume_suspended(XenVm& vm, std::uint32_t domain, std::function<void()> then);
  // Destroys the domain of this VM when it has a turn, unless it is complete by then.
  void destroy_unfinished(const VmIdentity& identity);
  // The last counters of a domain that is about to be destroyed.
  void report_departure(const XenVm& vm, const XenDomain& domain);
  // xenconsoled finds the console of this VM in the spool.
  Result<void> link_console(const XenVm& vm) const;

 private:
  void adopt(const XenDomain& domain);
  // Again and again.
  void look_around();
  void end_task(const Uuid& uuid, std::uint64_t turn, const DomainEnd& end);
  void destroy_ended(const Uuid& uuid, std::uint64_t turn, const std::string& note);
  void report_end(const Uuid& uuid, std::uint64_t turn, const std::string& note);
  void keep_status(const XenVm& vm, std::uint32_t domain) const;
  [[nodiscard]] VmSample sample_of(const XenVm& vm, const XenDomain& domain) const;
  [[nodiscard]] std::string console_link(const XenVm& vm) const;

  const LibxlSetup setup_;
  const TaskFileSettings files_;
  ClosableSink events_;
  Hypervisor::SampleSink departures_;
  const LiveLimit max_output_;
  std::atomic<bool> held_by_other_{false};
  std::optional<NodeChanged> reported_;
  XenLoop* xen_ = nullptr;
  std::map<Uuid, XenVm> vms_;
  std::uint64_t last_turn_ = 0;
};

}  // namespace aliquot
