// Implements `aliquot db check` and `aliquot db export`: they read a store, whether a manager uses it or
// not, and change nothing. Unlike the manager's recovery, which stops at the first problem, they continue
// and report all problems.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot {

struct StoreCheck {
  std::string cluster_id;
  std::uint64_t epoch = 0;
  std::uint64_t snapshot_step = 0;  // the last step in the snapshot; 0: there is no snapshot
  std::uint64_t last_step = 0;      // 0: there is none
  std::uint64_t steps = 0;          // in the file
  std::uint64_t log_lines = 0;
  std::uint64_t ended_jobs = 0;
  std::vector<std::string> problems;  // empty: the store is sound; at most kMaxProblems
  static constexpr std::size_t kMaxProblems = 100;
};

// SQLite's integrity check, then the content: every row decodes, no step is missing. An Error if the file
// is not a readable store.
[[nodiscard]] Result<StoreCheck> check_store(const std::string& path);

// JSONL: {"store": ...}, then {"snapshot": ...} if there is one, then the steps after it as in the
// journal. Gives the number of steps.
[[nodiscard]] Result<std::uint64_t> export_store(const std::string& path, std::ostream& out);

// JSONL, by number: {"job": N, "state": "ended", "outcome": ...} or {"job": N, "state": "open",
// "submission":
// ...}. Gives the number of jobs.
[[nodiscard]] Result<std::uint64_t> export_jobs(const std::string& path, std::ostream& out);

}  // namespace aliquot
