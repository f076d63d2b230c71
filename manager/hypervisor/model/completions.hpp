// When the work of each job will be complete, as its VMs run now: the running jobs by that instant.
// Computed again after every change of a job's rate. Such changes are frequent, so entries that are out of
// date stay in the queue until they come to its front.
#pragma once

#include <vector>

#include "manager/hypervisor/model/agenda.hpp"
#include "manager/hypervisor/model/model_job.hpp"
#include "policies/model/id_table.hpp"

namespace aliquot::model {

using ModelJobs = IdTable<JobId, ModelJob>;

struct Completion {
  Instant at;
  std::uint64_t number = 0;  // of the entry, see Agenda
  JobId job;
  std::uint64_t version = 0;  // of the job when this was computed

  // The top of the heap is the earliest.
  friend bool operator<(const Completion& a, const Completion& b) {
    return a.at != b.at ? a.at > b.at : a.number > b.number;
  }
};

class Completions {
 public:
  // Both outlive this.
  Completions(ModelJobs& jobs, Agenda& agenda) : jobs_(jobs), agenda_(agenda) {}

  // The rate of this job may have changed at this instant.
  void update(JobId id, ModelJob& job, Instant now);
  // The same, but not before update_late(): several actions of one instant then cost one update.
  void update_later(JobId id, ModelJob& job, Instant now);
  // To be called before time goes on and before anything is asked.
  void update_late(Instant now);

  // The next completion; null if no job will be complete.
  [[nodiscard]] const Completion* next();
  void pop();
  // A job was forgotten.
  void forget() { top_holds_ = false; }

 private:
  ModelJobs& jobs_;
  Agenda& agenda_;
  std::vector<Completion> heap_;
  bool top_holds_ = false;   // the top is known to be up to date
  std::vector<JobId> late_;  // to be updated before time goes on
  std::uint64_t version_ = 0;
};

}  // namespace aliquot::model
