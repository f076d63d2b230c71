// Writes the audit log (audit_chain.hpp): append-only files in one directory, which only the manager's user
// can read. A thread of its own writes, so that no request waits for it; what was recorded is on disk a
// tenth of a second later, as long as the disk answers.
//
// If the disk does not take it, the records wait, up to a bound; then they are dropped, and a line says how
// many. note() and the readings may be called by any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "monitor/audit/audit_chain.hpp"

namespace aliquot::audit {

struct Limits {
  std::uint64_t file_bytes = 16U << 20;  // then another file begins
  std::size_t waiting = 100'000;         // records
};

class AuditLog {
 public:
  // Goes on after the newest line; an incomplete one, of a crash, is cut off, and a line says so. Makes the
  // directory. Errors: it cannot be written to, or the newest line is not understood.
  [[nodiscard]] static Result<std::unique_ptr<AuditLog>> open(const std::string& directory,
                                                              Limits limits = {});
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;
  ~AuditLog();  // writes what waits

  void note(Record record);
  // Waits until all that was noted is on disk, or the disk has refused it.
  void flush();

  [[nodiscard]] Head head() const;  // on disk
  [[nodiscard]] std::uint64_t lost() const;
  [[nodiscard]] std::string trouble() const;  // of the last attempt to write; empty: none

 private:
  AuditLog(std::string directory, Limits limits, Head head);
  void run();
  [[nodiscard]] std::string write(const std::deque<Record>& records);
  [[nodiscard]] std::string open_file();

  const std::string directory_;
  const Limits limits_;

  mutable std::mutex mutex_;
  std::condition_variable work_;  // for the thread
  std::condition_variable done_;  // for flush()
  std::deque<Record> waiting_;
  Head head_;
  std::uint64_t lost_ = 0;
  std::uint64_t lost_unsaid_ = 0;
  std::string trouble_;
  bool writing_ = false;
  bool stopping_ = false;

  int fd_ = -1;             // these two are the thread's
  std::uint64_t size_ = 0;  // of the file
  std::thread thread_;
};

}  // namespace aliquot::audit
