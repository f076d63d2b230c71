// The writer's thread: takes what the loop hands over, commits it in groups, says what is durable.
//
// A group is whatever has come together while the last one was being written, so one slow disk means
// larger groups, not a longer queue. Answers wait for the step that follows them (at most kAnswerPatience)
// and are committed with it: an answer never outlives the step it speaks of.
//
// The first failed commit ends it: `failed` is called once, nothing is acknowledged after that, and what
// is still handed over is dropped. The queue itself is not bounded: the loop bounds it by not acting
// before its steps are durable.
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
  // Commits what is queued, then ends.
  ~Writer();

  void start(Store::Durable durable, Store::Failed failed);
  void put(Work work);
  // Waits until everything put before is durable, or the failure is reported; returns at once before
  // start(). Not to be called from `durable` or `failed`.
  void flush();
  // Reports a failure that somebody else (a reader) met, as if it were one of a commit.
  void fail_with(Error error);

  // What is handed over and perhaps not yet on disk, so that readers miss nothing.
  [[nodiscard]] std::optional<JobOutcome> pending_outcome(JobId job) const;
  [[nodiscard]] std::vector<JobOutcome> pending_outcomes() const;  // oldest first
  [[nodiscard]] std::optional<Store::Answered> pending_answer(const std::string& key) const;

 private:
  using Lock = std::unique_lock<std::mutex>;

  void run();
  [[nodiscard]] std::size_t due(std::chrono::steady_clock::time_point now) const;
  void write(Lock& lock, std::size_t count);

  mutable std::mutex mutex_;
  std::condition_variable work_;  // for the writer: something to do
  std::condition_variable idle_;  // for flush(): a group is done
  std::deque<Work> queue_;
  std::vector<Work> group_;  // being written; changed only under the lock
  std::chrono::steady_clock::time_point last_put_;
  bool running_ = false;
  bool stopping_ = false;
  bool failed_ = false;    // nothing is written or acknowledged any more
  bool reported_ = false;  // and `failed` has returned
  int flushing_ = 0;

  GroupCommit commit_;  // the writer's thread only
  Store::Durable on_durable_;
  Store::Failed on_failed_;
  std::thread thread_;
};

}  // namespace aliquot
