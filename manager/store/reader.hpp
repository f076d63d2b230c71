// The read connection of the loop: reads committed data while the writer writes. Thread-safe.
//
// A failed read is an Error; the caller treats it like a failed write and stops.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "manager/store/sqlite_db.hpp"
#include "manager/store/store.hpp"

namespace aliquot {

class Reader {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Reader>> open(const std::string& path);

  [[nodiscard]] Result<std::optional<JobOutcome>> ended(JobId job);
  // Newest first.
  [[nodiscard]] Result<std::vector<JobOutcome>> ended_jobs(std::size_t newest);
  [[nodiscard]] Result<std::vector<JobOutcome>> ended_page(const EndedPage& page);
  [[nodiscard]] Result<std::optional<JobOutcome>> ended_member(const ArrayMember& member);
  [[nodiscard]] Result<std::optional<JobUse>> cpu_use(JobId job);
  [[nodiscard]] Result<CpuByUser> cpu_between(std::int64_t first, std::int64_t end);
  [[nodiscard]] Result<CpuByJob> cpu_of_jobs(const JobHours& span);
  [[nodiscard]] Result<std::vector<std::pair<std::string, AccountUse>>> accounts();
  [[nodiscard]] Result<std::vector<JobId>> uncounted();
  // Oldest first, with sequence > after.
  [[nodiscard]] Result<std::vector<LoggedEvent>> events(std::optional<JobId> job, std::uint64_t after,
                                                        std::size_t at_most);
  // The newest entries of the job's chronicle, oldest first.
  [[nodiscard]] Result<std::vector<LoggedEvent>> events_before(std::optional<JobId> job,
                                                               std::uint64_t before, std::size_t at_most);
  [[nodiscard]] Result<std::vector<LoggedEvent>> story(JobId job, std::size_t newest);
  [[nodiscard]] Result<std::uint64_t> newest_event();
  [[nodiscard]] Result<std::optional<Store::Answered>> answered(const IdempotencyKey& key);

 private:
  struct Statements;
  Reader(Db db, std::unique_ptr<Statements> statements);

 public:
  ~Reader();

 private:
  std::mutex mutex_;
  Db db_;
  std::unique_ptr<Statements> statements_;  // after db_: finalised before it closes
};

}  // namespace aliquot
