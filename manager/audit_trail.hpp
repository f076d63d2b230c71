// Hands to the audit log what clients have asked for that would change something, and what was refused to
// them; and keeps its newest hash in the store, so that a log whose end was cut off is noticed at the next
// start. Belongs to the loop.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "manager/api/wire/job_server.hpp"
#include "manager/api/wire/token_bucket.hpp"
#include "manager/background_tasks.hpp"
#include "monitor/audit/audit_log.hpp"
#include "monitor/log_lines.hpp"

namespace aliquot {

class AuditTrail {
 public:
  // All outlive this.
  struct Parts {
    std::function<std::int64_t()> unix_us;
    std::function<void(std::string head)> keep;                        // in the store
    std::function<void(LogLevel level, const std::string& line)> say;  // in the manager's log
  };
  // Opens the log in this directory, and has it follow the server. A log that does not have the line
  // `known` is said to be broken, as soon as it has been read.
  [[nodiscard]] static Result<std::unique_ptr<AuditTrail>> open(const std::string& directory, Parts parts,
                                                                JobServer& server, const std::string& known,
                                                                BackgroundTasks& reading);
  AuditTrail(std::unique_ptr<audit::AuditLog> log, Parts parts)
      : log_(std::move(log)), parts_(std::move(parts)) {}
  AuditTrail(const AuditTrail&) = delete;
  AuditTrail& operator=(const AuditTrail&) = delete;
  // What was recorded is on disk, and its hash kept.
  ~AuditTrail();

  // What was not carried out is recorded a few times per second of each user, so that no user fills the
  // disk; the next line says how often it was left out.
  void answered(const AnsweredRequest& request);
  // A client did not come in. Of many in a second, one line.
  void refused(const std::string& address, const std::string& why);
  // Keeps the newest hash about once a minute, and says it about once an hour.
  void every_second();
  [[nodiscard]] std::uint64_t lost() const { return log_->lost(); }

 private:
  [[nodiscard]] bool takes_refusal(std::uint32_t uid);
  void keep_head();
  void say_head();

  std::unique_ptr<audit::AuditLog> log_;
  Parts parts_;
  struct Refusals {
    TokenBucket bucket;
    std::uint64_t left_out = 0;
  };
  std::map<std::uint32_t, Refusals> refusals_;  // by user
  audit::Head kept_;
  std::int64_t kept_at_us_ = 0;
  std::int64_t said_at_us_ = 0;
  std::int64_t refused_at_us_ = 0;
  std::uint64_t refused_ = 0;  // since, without a line
};

}  // namespace aliquot
