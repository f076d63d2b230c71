// The model backend of the hypervisor port: arithmetic, no clock, no thread. Work is yield x time.
//
// It is handed the present instant and keeps an agenda of what will happen: the simulator asks when the
// next thing is due and takes what is due. It answers truthfully what it is asked, and judges what it is
// told to do (ConformanceChecker). It only runs ModelWork. Deterministic.
#pragma once

#include <map>
#include <set>

#include "manager/hypervisor/model/agenda.hpp"
#include "manager/hypervisor/model/chance.hpp"
#include "manager/hypervisor/model/conformance_checker.hpp"
#include "manager/hypervisor/model/model_options.hpp"

namespace aliquot {

class ModelHypervisor : public Hypervisor {
 public:
  ModelHypervisor(std::vector<Node> nodes, ModelOptions options);

  // Time goes on. Nothing may be due before `now`: take it first.
  void set_now(Instant now);
  // When something is due next; kNever if nothing is.
  [[nodiscard]] Instant next();
  // Is something going to happen, other than nodes that fail and are repaired for ever?
  [[nodiscard]] bool busy();
  // Goes on to `now`: all that happened until then, in order.
  [[nodiscard]] std::vector<Event> take_due(Instant now);
  // The same, into a vector whose memory is used again.
  void take_due(Instant now, std::vector<Event>& events);

  // Null where the job's last sheet will do.
  void perform(const Action& action, std::shared_ptr<const JobSpec> sheet) override;
  // The model knows by itself where its VMs stand: what it reads of a sheet changes only with a creation.
  [[nodiscard]] bool needs_sheet(const Action& action) const {
    return kind(action) == ActionKind::create || !jobs_.contains(head(action).job);
  }
  void inspect(std::vector<VmQuery> queries) override;
  void sample(NodeId node, SampleSink done) override;
  void forget(JobId job) override;

  [[nodiscard]] const ConformanceChecker& checker() const { return checker_; }
  // VMs that exist or are saved: none once all jobs have ended.
  [[nodiscard]] std::size_t leftovers() const;
  // Did a fault that was injected kill a VM of this job?
  [[nodiscard]] bool killed(JobId job) const { return killed_.contains(job); }

 private:
  template <class What>
  void enter(Instant at, What what) {
    agenda_.emplace(std::pair(at, sequence_++), std::move(what));
  }
  // The next end of a job's work that still holds; null: none.
  [[nodiscard]] const model::WorkDone* next_done();
  void pop_done();

  // model_actions.cpp
  [[nodiscard]] model::Fate fate_of(const Begun& what, const ModelVm& vm, Memory memory,
                                    std::uint32_t task) const;
  [[nodiscard]] bool touches_unreachable(const Begun& what, const ModelVm& vm) const;
  void refuse(const ModelJob& job, std::uint32_t task, const Action& action, const std::string& why);
  void begin(ModelJob& job, std::uint32_t task, const Action& action);
  void land(const model::Landing& landing);
  // The error to report for an action that ends now: its node may have gone in the meantime.
  [[nodiscard]] model::Fate fate_now(const model::Landing& landing, const ModelVm& vm) const;
  void take_effect(const ModelJob& job, ModelVm& vm, const Begun& what) const;
  void give_up(const Abort& abort);
  void plan_crash(const ModelJob& job, std::uint32_t task, OpId op);

  // model_calm.cpp: an action that takes no time and cannot go wrong is begun and landed in one.
  void perform_at_once(ModelJob& job, const Action& action);
  void change_at_once(ModelJob& job, std::uint32_t task, const Action& action);
  // Nothing speaks against any of these moves.
  [[nodiscard]] bool moves_plainly(const ModelJob& job, const Migrate& migrate) const;
  void move_at_once(ModelJob& job, const Migrate& migrate, const Action& action);
  // Of a job whose VMs are alike: what would come of it for one after the other.
  [[nodiscard]] bool changes_alike(ModelJob& job, const Action& action) const;
  void change_all_at_once(ModelJob& job, const Action& action);
  [[nodiscard]] bool ends_alike(ModelJob& job) const;
  void end_all_at_once(ModelJob& job, int exit_code);
  // What a restart by this action costs this job.
  [[nodiscard]] Duration stall_of(ActionKind kind, const ModelVm& vm) const;
  void stall(ModelJob& job, Duration length) const;

  // model_hypervisor.cpp
  void happen(const model::Landing& landing) { land(landing); }
  void happen(const model::WorkDone& done);
  void happen(const model::Crash& crash);
  void happen(const model::OutageEdge& edge);
  void enter_outage(std::size_t index);
  // Runs `change` on a VM with its charges taken off before and put on again after.
  template <class Change>
  void edit(ModelJob& job, ModelVm& vm, Change change);
  // The VM has powered off, or died (no exit code): what was under way for it ends too.
  void end_vm(ModelJob& job, std::uint32_t task, std::optional<int> exit_code);
  void report_end(JobId job, std::uint32_t task, const ModelVm& vm);
  void lose_vms(NodeId node);
  void report(OpId op, JobId job, std::uint32_t task, const model::Fate& fate, Duration stall);
  // The rate has perhaps changed: when does the work end now?
  void reckon(JobId id, ModelJob& job);
  // The same for what is asked of it at this instant: once, when time goes on.
  void reckon_later(JobId id, ModelJob& job);
  void reckon_late();
  [[nodiscard]] bool reachable(NodeId node) const { return unreachable_[node.raw] == 0; }
  [[nodiscard]] Inspected look(const VmQuery& query) const;

  std::vector<Node> nodes_;
  ModelOptions options_;
  Chance chance_;
  ConformanceChecker checker_;
  Instant now_;
  IdTable<JobId, ModelJob> jobs_;
  model::Agenda agenda_;
  std::vector<model::WorkDone> done_;              // a heap
  bool done_holds_ = false;                        // its top is known to hold
  std::vector<JobId> late_;                        // to be reckoned before time goes on
  std::vector<Event> ready_;                       // has happened, not yet taken
  std::vector<std::vector<TaskEnded>> held_back_;  // by node: ends that nobody can see yet
  std::vector<int> unreachable_;                   // outages now, by node
  std::vector<int> dead_;                          // outages now of which the node itself died
  std::size_t renewals_ = 0;                       // entries of the agenda about drawn failures
  std::set<JobId> killed_;
  bool calm_ = false;  // nothing takes time, nothing goes wrong
  std::uint64_t sequence_ = 0;
  std::uint64_t version_ = 0;
};

template <class Change>
void ModelHypervisor::edit(ModelJob& job, ModelVm& vm, Change change) {
  job.alike = false;
  checker_.charge(job, vm, -1);
  change();
  checker_.charge(job, vm, 1);
}

}  // namespace aliquot
