// What is true on the model's nodes, and what has happened there: shared by the parts of the model
// hypervisor.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "manager/hypervisor/model/completions.hpp"
#include "manager/hypervisor/model/conformance_checker.hpp"
#include "manager/hypervisor/model/outages.hpp"

namespace aliquot::model {

// A checkpoint is of the VMs that have not ended.
[[nodiscard]] inline bool skips(const Action& action, const ModelVm& vm) {
  return kind(action) == ActionKind::checkpoint && vm.state == ModelVm::State::ended;
}

struct ModelState {
  ModelState(std::vector<Node> its_nodes, ModelOptions its_options)
      : nodes(std::move(its_nodes)),
        options(std::move(its_options)),
        chance(options.seed),
        checker(nodes, options.memory_kept_ppm),
        outages(nodes, options, chance, agenda),
        completions(jobs, agenda) {}
  ModelState(const ModelState&) = delete;
  ModelState& operator=(const ModelState&) = delete;
  ~ModelState() = default;

  // Makes a change of one VM, with its charges taken off before and put on again after.
  template <class Change>
  void edit(ModelJob& job, ModelVm& vm, Change change) {
    job.alike = false;
    checker.charge(job, vm, -1);
    change();
    checker.charge(job, vm, 1);
  }
  // What a successful action does to the VM.
  void take_effect(const ModelJob& job, ModelVm& vm, const Begun& what) const;
  // How long the job makes no progress after a restart of the VM, and of others that are alike, by this
  // action.
  [[nodiscard]] Duration stall_of(ActionKind kind, const ModelJob& job, const ModelVm& vm,
                                  std::uint32_t vms = 1) const;
  void stall(ModelJob& job, ActionKind kind, Duration length) const;
  // The guest has been told to leave, or that a limit is near: then a signal ends its program. It leaves
  // at once, or ignores it.
  void notify(const ModelJob& job, std::uint32_t task, bool warns);
  // The action cannot be begun: it is reported as failed, and counted as a violation if the caller could
  // have known.
  void refuse(const ModelJob& job, std::uint32_t task, const Action& action, const std::string& why);
  // The outcome of an action on one task. Neighbouring tasks with the same outcome share one event.
  void report(OpId op, JobId job, std::uint32_t task, const Fate& fate, Duration stall_after);
  // The event reaches the manager some time later, unless that has died by then.
  void report_late(Event event);
  // A number for a draw about a reply; none is given twice.
  [[nodiscard]] std::uint64_t take_reply_number() { return ++replies; }

  const std::vector<Node> nodes;
  const ModelOptions options;
  const Chance chance;
  ConformanceChecker checker;
  Instant now;
  ModelJobs jobs;
  std::map<JobId, TrueNeeds> true_needs;  // of jobs of which no VM was ever created
  Agenda agenda;
  Outages outages;
  Completions completions;
  std::vector<Event> ready;    // has happened, and was not taken yet
  std::uint64_t replies = 0;   // that something was drawn for
  std::uint64_t managers = 1;  // the one that lives, and those that have died
  OpId first_heard;            // actions before it are those of a manager that has died
};

}  // namespace aliquot::model
