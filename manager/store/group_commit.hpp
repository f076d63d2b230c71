// Writes groups of steps, snapshots, answers and CPU use to the tables, one transaction for each group.
//
// Independent of threads and queues (writer.hpp). After a failure the file is as before the group. If the
// disk was full, the same group can be tried again; after any other failure the object must not be used
// again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "manager/store/durable_mark.hpp"
#include "manager/store/replication.hpp"
#include "manager/store/sqlite_db.hpp"
#include "manager/store/store.hpp"

namespace aliquot {

// How much history is kept. Steps need no limit: a snapshot replaces the steps before it.
struct Retention {
  std::uint64_t log_rows = 2'000'000;       // lines of `events`, about 300 bytes each: 600 MB
  std::uint64_t ended_rows = 1'000'000;     // jobs that have ended, about 1 KB each: 1 GB
  Duration answers = seconds(48 * 3600);    // at least 24 h, longer than clients retry
  std::uint64_t hour_rows = 5'000'000;      // hours of users of accounts, about 100 bytes each: 500 MB
  std::uint64_t job_hour_rows = 5'000'000;  // hours of jobs, about as large
  std::uint64_t answers_of_user = 20'000;   // the newest of each user, about 200 bytes each
};

struct Answer {
  IdempotencyKey key;
  Store::Answered answered;
};
// A state of the core as text (state_codec.hpp), after `steps` steps.
struct Snapshot {
  std::uint64_t steps = 0;
  Instant now;
  std::string json;
};
struct CpuUses {
  std::vector<std::pair<JobId, JobUse>> uses;
  std::vector<HourUse> hours;
};
struct AccountUses {
  std::vector<std::pair<std::string, AccountUse>> totals;
  std::vector<JobId> counted;
};
struct KnownNodes {
  std::string text;
};
struct Learned {
  std::string name;
  std::string text;
};
using Work = std::variant<Step, Snapshot, Answer, CpuUses, AccountUses, ClockRow, KnownNodes, Learned>;

class GroupCommit {
 public:
  // Continues the numbering of the file. Each group is a batch of `replication`, which outlives this.
  [[nodiscard]] static Result<GroupCommit> open(Db db, Retention retention, const std::string& cluster,
                                                const Replication* replication = nullptr);

  // Atomic. Step numbers must be consecutive.
  [[nodiscard]] Result<void> commit(const std::vector<Work>& group);
  // The last commit failed for lack of space.
  [[nodiscard]] bool disk_is_full() const { return disk_is_full_; }

 private:
  struct Statements;
  struct Delete {
    void operator()(Statements* statements) const;
  };
  GroupCommit(Db db, Retention retention) : db_(std::move(db)), retention_(retention) {}

  [[nodiscard]] Result<void> commit_once(const std::vector<Work>& group);
  [[nodiscard]] Result<void> write(const Step& step);
  [[nodiscard]] Result<void> write(const Snapshot& snapshot);
  [[nodiscard]] Result<void> write(const Answer& answer);
  [[nodiscard]] Result<void> write(const CpuUses& uses);
  [[nodiscard]] Result<void> write(const AccountUses& uses);
  [[nodiscard]] Result<void> write(const ClockRow& row);
  [[nodiscard]] Result<void> write(const KnownNodes& nodes);
  [[nodiscard]] Result<void> write(const Learned& learned);
  [[nodiscard]] Result<void> write_log(const Step& step);
  [[nodiscard]] Result<void> prune();

  Db db_;
  std::unique_ptr<Statements, Delete> statements_;  // after db_: finalised before it closes
  Retention retention_;
  std::optional<DurableMark> mark_;
  const Replication* replication_ = nullptr;
  struct Position {
    std::uint64_t last_step = 0;
    Instant now;  // of the last step; the date of answers
    std::uint64_t next_sequence = 1;
    std::uint64_t pruned_at = 0;  // next_sequence at the last removal of old rows
  };
  Position at_;
  bool disk_is_full_ = false;
};

}  // namespace aliquot
