// Which jobs of a listing are meant: by user, account, name, state, and when they ended. For `list`, and
// for `cancel` of jobs that are not given by number.
#pragma once

#include <sys/types.h>

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "policies/model/error.hpp"

namespace CLI {
class App;
}

namespace aliquot::ctl {

// As on the command line.
struct FilterText {
  std::string user;  // "me", a name, or a number
  std::string account;
  std::string name;
  std::vector<std::string> states;  // "running"; several are separated by commas
  std::string since;                // "2h": ago; or "2026-11-27", "2026-11-27T10:30" (UTC)
};

class JobFilter {
 public:
  // Errors: not_found, no such user; invalid_argument, no such state, or no time.
  [[nodiscard]] static Result<JobFilter> of(const FilterText& text);

  // A row of the answer to `list`.
  [[nodiscard]] bool matches(const nlohmann::json& job) const;
  // Whether no job that ended before this one can match; rows of ended jobs come newest first.
  [[nodiscard]] bool is_past(const nlohmann::json& job) const;
  // Whether ended jobs are asked for.
  [[nodiscard]] bool wants_every_job() const {
    return !user_ && account_.empty() && name_.empty() && states_.empty() && since_.empty();
  }
  [[nodiscard]] bool wants_ended() const { return !since_.empty() || wants_ended_state_; }

 private:
  std::optional<uid_t> user_;
  std::string account_;
  std::string name_;
  std::set<std::string> states_;
  std::string since_;  // as the manager writes times
  bool wants_ended_state_ = false;
};

// The options that users, accounts, names and states are given by.
void declare_filter(CLI::App& app, FilterText& text);

// The name of a user of this machine; its number, if it has none here.
[[nodiscard]] std::string user_name(uid_t uid);

}  // namespace aliquot::ctl
