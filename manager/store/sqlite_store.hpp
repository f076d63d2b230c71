// The store in one SQLite file: WAL, synchronous=FULL, one writer thread, one connection for reads.
//
// recover() locks the file for this process (a second manager gets an Error that names the first); it must
// succeed before any other call. A remembered answer is committed with the step that is appended after it,
// so remember first and append then. Ended jobs and answers can be read as soon as they were passed in,
// events only when they are durable. A failed read is reported through `failed`, like a failed commit, and
// returns an empty result.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "manager/store/group_commit.hpp"
#include "manager/store/store.hpp"

namespace aliquot {

class Reader;
class SnapshotEncoder;
class StoreLock;
class Writer;

class SqliteStore : public Store {
 public:
  // Called by recover() with the identity of the cluster, empty for a new store, before the store is
  // changed; an Error refuses it.
  using Admit = std::function<Result<void>(const std::string& cluster_id)>;

  // `path` is the database file; -wal, -shm and .lock files are created next to it. `replication` outlives
  // the store; null: the store is kept here alone.
  explicit SqliteStore(std::string path, Retention retention = {}, Admit admit = {},
                       const Replication* replication = nullptr);
  ~SqliteStore() override;

  [[nodiscard]] Result<Recovered> recover() override { return recover(std::nullopt); }
  // `known`: see read_state() in recovery.hpp.
  [[nodiscard]] Result<Recovered> recover(std::optional<KnownStep> known);
  void start(Durable durable, Failed failed) override;
  void on_blocked(Blocked blocked) override;
  void append(Step step) override;
  void snapshot(CoreState state) override;
  void keep_cpu(std::vector<std::pair<JobId, JobUse>> uses, std::vector<HourUse> hours) override;
  void keep_accounts(std::vector<std::pair<std::string, AccountUse>> totals,
                     std::vector<JobId> counted) override;
  void keep_clock(ClockRow row) override;
  void keep_nodes(std::string text) override;
  void keep_learned(std::string name, std::string text) override;
  bool flush() override;

  [[nodiscard]] std::optional<JobOutcome> ended(JobId job) const override;
  [[nodiscard]] std::vector<JobOutcome> ended_jobs(std::size_t newest) const override;  // newest first
  [[nodiscard]] std::vector<JobOutcome> ended_page(const EndedPage& page) const override;
  [[nodiscard]] std::optional<JobOutcome> ended_member(const ArrayMember& member) const override;
  [[nodiscard]] std::optional<JobUse> cpu_use(JobId job) const override;
  [[nodiscard]] CpuByUser cpu_between(std::int64_t first, std::int64_t end) const override;
  [[nodiscard]] CpuByJob cpu_of_jobs(const JobHours& span) const override;
  [[nodiscard]] std::vector<std::pair<std::string, AccountUse>> accounts() const override;
  [[nodiscard]] std::vector<JobId> uncounted() const override;
  [[nodiscard]] std::vector<LoggedEvent> events(std::optional<JobId> job, std::uint64_t after,
                                                std::size_t at_most) const override;
  [[nodiscard]] std::vector<LoggedEvent> events_before(std::optional<JobId> job, std::uint64_t before,
                                                       std::size_t at_most) const override;
  [[nodiscard]] std::vector<LoggedEvent> story(JobId job, std::size_t newest) const override;
  [[nodiscard]] std::uint64_t newest_event() const override;
  [[nodiscard]] std::optional<Answered> answered(const IdempotencyKey& key) const override;
  void remember_answer(const IdempotencyKey& key, Answered answer) override;
  [[nodiscard]] bool is_surely_ours() const override;
  [[nodiscard]] bool is_replicated() const { return replication_ != nullptr; }

 private:
  std::string path_;
  Retention retention_;
  Admit admit_;
  const Replication* replication_;
  std::unique_ptr<StoreLock> lock_;  // outlives both connections
  std::unique_ptr<Writer> writer_;
  std::unique_ptr<SnapshotEncoder> encoder_;  // passes its last text to the writer when it is destroyed
  std::unique_ptr<Reader>
      reader_;  // closed first: the last connection writes the -wal back, which a reader cannot
};

}  // namespace aliquot
