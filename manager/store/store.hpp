// The port to the durable truth: an event log of steps, a snapshot every so often, and what has ended.
//
// Appends are queued and committed in groups by a writer thread; `durable` is called, on that thread, when
// everything up to and including a step is on disk. Nothing is acknowledged or done before that.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "manager/core/state.hpp"
#include "monitor/account_use.hpp"
#include "monitor/cpu_use.hpp"
#include "policies/model/error.hpp"
#include "policies/model/step.hpp"

namespace aliquot {

struct Recovered {
  std::string cluster_id;         // made once, at the store's birth; stands in every domain's metadata
  std::uint64_t epoch = 0;        // counts the openings of this store, this one included
  std::int64_t born_unix_us = 0;  // wall clock at the birth of the store: Instant 0
  Instant last;                   // of the newest step; time goes on from here
  std::optional<CoreState> snapshot;
  std::vector<Step> steps;  // after the snapshot, oldest first
};

struct LoggedEvent {
  std::uint64_t sequence = 0;
  Instant at;
  std::optional<JobId> job;
  std::string json;  // one line: the event, decision or action as in the journal
};

class Store {
 public:
  using Durable = std::function<void(std::uint64_t step)>;
  using Failed = std::function<void(Error)>;  // the disk is full or gone: the daemon must stop acting

  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  // Called once, before anything else.
  [[nodiscard]] virtual Result<Recovered> recover() = 0;
  virtual void start(Durable durable, Failed failed) = 0;
  virtual void append(Step step) = 0;
  virtual void snapshot(CoreState state) = 0;
  // What is kept of these jobs' CPU from now on. Durable a little later, by itself: nobody waits for it.
  virtual void keep_cpu(std::vector<std::pair<JobId, JobUse>> uses) = 0;
  // What these accounts' ended jobs come to from now on, and the jobs that are newly counted in it:
  // together on disk or not at all, so that each job is counted once. Durable as the CPU of jobs is.
  virtual void keep_accounts(std::vector<std::pair<std::string, AccountUse>> totals,
                             std::vector<JobId> counted) = 0;
  // Waits until all that was appended is durable.
  virtual void flush() = 0;

  // Reads; safe from the loop's thread while the writer writes.
  [[nodiscard]] virtual std::optional<JobOutcome> ended(JobId job) const = 0;
  [[nodiscard]] virtual std::vector<JobOutcome> ended_jobs(std::size_t newest) const = 0;
  // As it is on disk; also of a job that has ended.
  [[nodiscard]] virtual std::optional<JobUse> cpu_use(JobId job) const = 0;
  // As they are on disk, by name.
  [[nodiscard]] virtual std::vector<std::pair<std::string, AccountUse>> accounts() const = 0;
  // Jobs that have ended and are in no account's total yet.
  [[nodiscard]] virtual std::vector<JobId> uncounted() const = 0;
  [[nodiscard]] virtual std::vector<LoggedEvent> events(std::optional<JobId> job, std::uint64_t after,
                                                        std::size_t at_most) const = 0;
  // The newest lines of the job's chronicle, oldest first; also of a job that has ended.
  [[nodiscard]] virtual std::vector<LoggedEvent> story(JobId job, std::size_t newest) const = 0;
  // The sequence number of the newest event; 0: there is none.
  [[nodiscard]] virtual std::uint64_t newest_event() const = 0;
  // Idempotency: the answer first given to this key, and the hash of the request it belonged to.
  struct Answered {
    std::string body_sha256;
    std::string reply;
  };
  [[nodiscard]] virtual std::optional<Answered> answered(const std::string& key) const = 0;
  virtual void remember_answer(const std::string& key, Answered answer) = 0;
};

}  // namespace aliquot
