#include "tools/ctl/job_filter.hpp"

#include <pwd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <regex>

#include "config/quantities.hpp"
#include "policies/model/nearest.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

constexpr std::array<std::string_view, 12> kActive = {"pending",  "held",     "deferred",    "array",
                                                      "starting", "running",  "migrating",   "pausing",
                                                      "paused",   "resuming", "unreachable", "ending"};
constexpr std::array<std::string_view, 4> kEnded = {"completed", "failed", "cancelled", "timed_out"};

Result<uid_t> uid_of(const std::string& text) {
  if (text == "me") return getuid();
  uid_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault == std::errc{} && end == text.data() + text.size()) return number;
  std::vector<char> space(std::size_t{16} << 10);
  passwd entry{};
  passwd* found = nullptr;
  getpwnam_r(text.c_str(), &entry, space.data(), space.size(), &found);
  if (found != nullptr) return found->pw_uid;
  return fail(ErrorKind::not_found, "--user: this machine has no user " + quote(text) +
                                        "; write `me`, a name, or the number of a user");
}

bool has(const auto& words, std::string_view word) { return std::ranges::find(words, word) != words.end(); }

std::string listed(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

Result<std::set<std::string>> states_of(const std::vector<std::string>& given) {
  std::set<std::string> states;
  for (const std::string& one : given) {
    std::string state = one;
    std::ranges::replace(state, '-', '_');
    if (!has(kActive, state) && !has(kEnded, state)) {
      std::vector<std::string> known(kActive.begin(), kActive.end());
      known.insert(known.end(), kEnded.begin(), kEnded.end());
      return fail(ErrorKind::invalid_argument, "--state: " + quote(one) + " is no state of a job" +
                                                   did_you_mean(state, known) + "; the states are " +
                                                   listed(known));
    }
    states.insert(state);
  }
  return states;
}

// Since 1970.
std::int64_t now_us() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

std::string utc(std::int64_t us) {
  const std::time_t whole = us / 1'000'000;
  std::tm parts{};
  gmtime_r(&whole, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts)};
}

// In the form in which the manager writes times, so that texts compare as times do.
Result<std::string> time_of(const std::string& text) {
  static const std::regex date(R"(\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?)");
  if (std::regex_match(text, date)) return text;
  if (const auto ago = parse_duration(text)) return utc(now_us() - ago->raw);
  return fail(ErrorKind::invalid_argument, "--since: " + quote(text) +
                                               " is no time; write 2h (ago), 2026-11-27 or "
                                               "2026-11-27T10:30 (UTC)");
}

std::string text_at(const json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

Result<JobFilter> JobFilter::of(const FilterText& text) {
  JobFilter filter;
  if (!text.user.empty()) {
    const auto uid = uid_of(text.user);
    if (!uid) return tl::unexpected<Error>(uid.error());
    filter.user_ = *uid;
  }
  filter.account_ = text.account;
  filter.name_ = text.name;
  auto states = states_of(text.states);
  if (!states) return tl::unexpected<Error>(states.error());
  filter.states_ = std::move(*states);
  filter.wants_ended_state_ =
      std::ranges::any_of(filter.states_, [](const std::string& state) { return has(kEnded, state); });
  if (text.since.empty()) return filter;
  auto since = time_of(text.since);
  if (!since) return tl::unexpected<Error>(since.error());
  filter.since_ = std::move(*since);
  return filter;
}

bool JobFilter::matches(const json& job) const {
  if (user_ && job.value("uid", std::int64_t{-1}) != static_cast<std::int64_t>(*user_)) return false;
  if (!account_.empty() && text_at(job, "account") != account_) return false;
  if (!name_.empty() && text_at(job, "name") != name_) return false;
  if (!states_.empty() && !states_.contains(text_at(job, "state"))) return false;
  return !is_past(job);
}

bool JobFilter::is_past(const json& job) const {
  const std::string ended = text_at(job, "ended_at");
  return !since_.empty() && !ended.empty() && ended < since_;
}

void declare_filter(CLI::App& app, FilterText& text) {
  app.add_option("-u,--user", text.user, "of this user: me, a name or a number");
  app.add_option("-A,--account", text.account, "of this account");
  app.add_option("-n,--name", text.name, "of this name");
  app.add_option("-t,--state", text.states, "in one of these states, separated by commas")->delimiter(',');
}

std::string user_name(uid_t uid) {
  std::vector<char> space(std::size_t{16} << 10);
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(uid, &entry, space.data(), space.size(), &found);
  return found != nullptr ? found->pw_name : std::to_string(uid);
}

}  // namespace aliquot::ctl
