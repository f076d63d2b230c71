// The writer thread: receives work from the loop, commits it in groups, and reports what is durable.
//
// A group is everything that arrived while the last group was being written, so a slow disk makes groups
// larger and not the queue longer. An answer waits for the step that follows it (at most kAnswerPatience)
// and is committed with it, so that no answer is durable without its step.
//
// If the disk is full, the group is tried again every second, and nothing is acknowledged meanwhile. After
// any other failed commit, `failed` is called once, nothing is acknowledged any more, and further work is
// dropped. The queue has no bound of its own: the loop limits it, because it does not act before its steps
// are durable, and makes none while the disk is full. What comes besides then takes the place of what it
// replaces.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "manager/store/group_commit.hpp"
#include "manager/store/store.hpp"

namespace aliquot {

class Writer {
 public:
  explicit Writer(GroupCommit commit) : commit_(std::move(commit)) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  // Commits the queue, then stops the thread. While the disk is full, what is not committed is lost.
  ~Writer();

  void start(Store::Durable durable, Store::Failed failed);
  // Before start().
  void on_blocked(Store::Blocked blocked) { on_blocked_ = std::move(blocked); }
  void put(Work work);
  // Waits until everything put before is durable, or the failure is reported; returns at once before
  // start(), and while the disk is full. False: not all is durable. Not to be called from `durable` or
  // `failed`.
  bool flush();
  // Reports a failure of another part (a reader) like a failed commit.
  void fail_with(Error error);

  // Work that may not be on disk yet, so that readers see everything.
  [[nodiscard]] std::optional<JobOutcome> pending_outcome(JobId job) const;
  [[nodiscard]] std::vector<JobOutcome> pending_outcomes() const;  // oldest first
  [[nodiscard]] std::optional<Store::Answered> pending_answer(const IdempotencyKey& key) const;

 private:
  using Lock = std::unique_lock<std::mutex>;

  void run();
  [[nodiscard]] std::size_t due(std::chrono::steady_clock::time_point now) const;
  void write(Lock& lock, std::size_t count);
  // Commits the group, however long it takes to find room for it; called without the lock.
  [[nodiscard]] Result<void> commit_group();
  void set_blocked(const std::optional<Error>& why);

  mutable std::mutex mutex_;
  std::condition_variable work_;  // signals the writer: there is work
  std::condition_variable idle_;  // signals flush(): a group is written
  std::deque<Work> queue_;
  std::vector<Work> group_;  // the group being written; changed only under the lock
  std::chrono::steady_clock::time_point last_put_;
  bool running_ = false;
  bool stopping_ = false;
  bool blocked_ = false;   // the disk is full
  bool failed_ = false;    // nothing is written or acknowledged any more
  bool reported_ = false;  // and `failed` has returned
  int flushing_ = 0;

  GroupCommit commit_;  // used by the writer thread only
  Store::Durable on_durable_;
  Store::Failed on_failed_;
  Store::Blocked on_blocked_;
  std::thread thread_;
};

}  // namespace aliquot
