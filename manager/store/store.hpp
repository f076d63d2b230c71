// The interface to durable storage: an event log of steps, occasional snapshots, and the jobs that have
// ended.
//
// Appends are queued, and a writer thread commits them in groups. It calls `durable` when everything up to
// and including a step is on disk. Nothing is acknowledged or carried out before that.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "manager/core/state.hpp"
#include "monitor/account_use.hpp"
#include "monitor/calendar.hpp"
#include "monitor/cpu_use.hpp"
#include "monitor/hour_use.hpp"
#include "monitor/record/step.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

struct Recovered {
  std::string cluster_id;        // created with the store; part of every domain's metadata
  std::uint64_t epoch = 0;       // number of openings of this store, including this one
  std::vector<ClockRow> clocks;  // of earlier openings, oldest first
  std::string nodes;             // what is known of the nodes (manager/node_book.hpp); empty: nothing
  std::map<std::string, std::string> learned;  // by name, the text that was kept last
  Instant last;                                // of the newest step; the manager's time continues from here
  std::optional<CoreState> snapshot;
  std::vector<Step> steps;  // after the snapshot, oldest first
  bool is_known = false;    // the state after the newest step is: there is neither snapshot nor steps here
};

// A step after which the state of the core is known.
struct KnownStep {
  std::uint64_t number = 0;
  Instant at;
};

struct LoggedEvent {
  std::uint64_t sequence = 0;
  Instant at;
  std::optional<JobId> job;
  std::string json;  // one line: an event, decision, chronicle entry or action, as in the journal
};

// Chosen by a client for a submission; the same text of two users is two keys.
struct IdempotencyKey {
  std::uint32_t uid = 0;
  std::string text;
  friend auto operator<=>(const IdempotencyKey&, const IdempotencyKey&) = default;
};

// Ended jobs as a list shows them, newest first.
struct EndedPage {
  std::optional<JobId> array{};   // the members of this array; none: the jobs that are no members
  std::optional<JobId> before{};  // those that ended before this one did; none: all
  std::size_t newest = 0;         // so many at most
};

class Store {
 public:
  using Durable = std::function<void(std::uint64_t step)>;
  using Failed = std::function<void(Error)>;  // a write failed: the daemon must stop acting
  // The disk is full: nothing becomes durable until there is room. No value: it is over.
  using Blocked = std::function<void(std::optional<Error>)>;

  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  // Called once, before anything else.
  [[nodiscard]] virtual Result<Recovered> recover() = 0;
  virtual void start(Durable durable, Failed failed) = 0;
  // Sets the receiver; called at most once, before start(). A store that has no such state need not
  // override it.
  virtual void on_blocked(Blocked) {}
  virtual void append(Step step) = 0;
  virtual void snapshot(CoreState state) = 0;
  // Replaces the stored CPU use of these jobs and of these hours, in one transaction, so that the hours add
  // up to the jobs. Becomes durable a little later; nothing waits for it.
  virtual void keep_cpu(std::vector<std::pair<JobId, JobUse>> uses, std::vector<HourUse> hours) = 0;
  // Replaces the totals over the ended jobs of these accounts and records the jobs newly counted in them,
  // in one transaction, so that each job is counted once. Becomes durable like the CPU use of jobs.
  virtual void keep_accounts(std::vector<std::pair<std::string, AccountUse>> totals,
                             std::vector<JobId> counted) = 0;
  // Replaces the clock of this row's epoch. Becomes durable like the CPU use of jobs.
  virtual void keep_clock(ClockRow row) = 0;
  // Replaces what is known of the nodes. Durable with the step that is appended next.
  virtual void keep_nodes(std::string text) = 0;
  // Replaces what one part of the manager has learned from jobs and must not learn again after a restart.
  // Becomes durable like the CPU use of jobs; after a crash the text of a little earlier is there.
  virtual void keep_learned(std::string name, std::string text) = 0;
  // Waits until all that was appended is durable. False: it is not, since a write has failed, or the disk
  // is full.
  virtual bool flush() = 0;

  // False: another process may have gone on with what is stored, and this one must not act any more. Asked
  // right before each action leaves.
  [[nodiscard]] virtual bool is_surely_ours() const { return true; }

  // Reads; safe from the loop's thread while the writer writes.
  [[nodiscard]] virtual std::optional<JobOutcome> ended(JobId job) const = 0;
  [[nodiscard]] virtual std::vector<JobOutcome> ended_jobs(std::size_t newest) const = 0;
  // Nothing if it is not known when `before` ended.
  [[nodiscard]] virtual std::vector<JobOutcome> ended_page(const EndedPage& page) const = 0;
  [[nodiscard]] virtual std::optional<JobOutcome> ended_member(const ArrayMember& member) const = 0;
  // As on disk; also for ended jobs.
  [[nodiscard]] virtual std::optional<JobUse> cpu_use(JobId job) const = 0;
  // As on disk, the sums over the hours from `first` up to `end`, without it.
  [[nodiscard]] virtual CpuByUser cpu_between(std::int64_t first, std::int64_t end) const = 0;
  // The same of single jobs, also of ended ones.
  [[nodiscard]] virtual CpuByJob cpu_of_jobs(const JobHours& span) const = 0;
  // As on disk, by name.
  [[nodiscard]] virtual std::vector<std::pair<std::string, AccountUse>> accounts() const = 0;
  // Ended jobs that are not yet counted in the total of their account.
  [[nodiscard]] virtual std::vector<JobId> uncounted() const = 0;
  [[nodiscard]] virtual std::vector<LoggedEvent> events(std::optional<JobId> job, std::uint64_t after,
                                                        std::size_t at_most) const = 0;
  // The newest with smaller numbers than `before`, newest first.
  [[nodiscard]] virtual std::vector<LoggedEvent> events_before(std::optional<JobId> job,
                                                               std::uint64_t before,
                                                               std::size_t at_most) const = 0;
  // The newest entries of the job's chronicle, oldest first; also for ended jobs.
  [[nodiscard]] virtual std::vector<LoggedEvent> story(JobId job, std::size_t newest) const = 0;
  // The sequence number of the newest event; 0: none.
  [[nodiscard]] virtual std::uint64_t newest_event() const = 0;
  // Idempotency: the first answer to this key, and the hash of its request.
  struct Answered {
    std::string body_sha256;
    std::string reply;
  };
  [[nodiscard]] virtual std::optional<Answered> answered(const IdempotencyKey& key) const = 0;
  virtual void remember_answer(const IdempotencyKey& key, Answered answer) = 0;
};

}  // namespace aliquot
