#include "tools/ctl/usage_report.hpp"

#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "config/quantities.hpp"
#include "tools/ctl/begin_time.hpp"
#include "tools/ctl/job_filter.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

constexpr std::time_t kHour = 3600;

std::string utc(std::time_t at) {
  std::tm parts{};
  gmtime_r(&at, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%MZ", &parts);
  return text;
}

std::time_t first_of_month(std::time_t now) {
  std::tm parts{};
  localtime_r(&now, &parts);
  parts.tm_mday = 1;
  parts.tm_hour = parts.tm_min = parts.tm_sec = 0;
  parts.tm_isdst = -1;
  return std::mktime(&parts);
}

Result<std::time_t> whole_hour(const char* option, const std::string& text, std::time_t now) {
  const auto at = parse_begin(text, now);
  if (!at) return fail(at.error().kind, std::string(option) + ": " + at.error().message);
  if (*at % kHour == 0) return *at / kHour;
  const std::time_t before = *at - *at % kHour;
  return fail(ErrorKind::invalid_argument,
              std::string(option) + ": " + quote(text) +
                  " is no whole hour of UTC, and use is kept by these; write " + utc(before) + " or " +
                  utc(before + kHour));
}

Result<AccountUsage> request_of(const UsageSpanText& text, std::time_t now) {
  AccountUsage request;
  request.by = text.by == "job" ? UsageBy::job : text.by == "user" ? UsageBy::user : UsageBy::account;
  const auto start = text.start.empty() ? Result<std::time_t>(first_of_month(now) / kHour)
                                        : whole_hour("--start", text.start, now);
  if (!start) return tl::unexpected<Error>(start.error());
  request.first_hour = *start;
  request.end_hour = now / kHour + 1;  // of the hour that runs, what has been counted
  if (!text.end.empty() && text.end != "now") {
    const auto end = whole_hour("--end", text.end, now);
    if (!end) return tl::unexpected<Error>(end.error());
    request.end_hour = *end;
  }
  if (request.end_hour <= request.first_hour)
    return fail(ErrorKind::invalid_argument,
                "the span ends at " + utc(request.end_hour * kHour) + ", before it starts at " +
                    utc(request.first_hour * kHour) + ": give an earlier --start or a later --end");
  if (request.end_hour - request.first_hour > kMostHoursOfUsage)
    return fail(ErrorKind::invalid_argument, "the span is longer than 366 days: ask for each year");
  return request;
}

// With its quotation marks doubled, where a name has a character that means something in CSV.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string csv_number(const json& number) {
  char text[64];
  std::snprintf(text, sizeof text, "%.6f", number.get<double>());
  return text;
}

std::string csv_of(const json& body, UsageBy by) {
  const bool by_job = by == UsageBy::job;
  std::string text = by_job ? "job," : "";
  text += "account,uid,user,granted_core_s,used_core_s\n";
  for (const json& row : body["usage"]) {
    const bool is_user = !row["uid"].is_null();
    if (by_job) text += row["job"].dump() + ",";
    text += csv_field(row["account"].get<std::string>()) + "," + (is_user ? row["uid"].dump() : "") + "," +
            (is_user ? csv_field(user_name(row["uid"].get<std::uint32_t>())) : "") + "," +
            csv_number(row["granted_core_s"]) + "," + csv_number(row["used_core_s"]) + "\n";
  }
  return text;
}

std::string core_hours(const json& seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2f", seconds.get<double>() / kHour);
  return text;
}

std::string text_of(const json& body, UsageBy by, const TableStyle& style) {
  using enum Align;
  Table table{{}, {}};
  if (by == UsageBy::job) table.columns.push_back({"JOB", right});
  table.columns.push_back({"ACCOUNT"});
  if (by != UsageBy::account) table.columns.push_back({"USER"});
  table.columns.push_back({"GRANTED", right});
  table.columns.push_back({"USED", right});
  for (const json& row : body["usage"]) {
    const auto account = row["account"].get<std::string>();
    std::vector<Cell> cells;
    if (by == UsageBy::job) cells.emplace_back(row["job"].dump());
    cells.emplace_back(account.empty() ? "(none)" : account);
    if (by != UsageBy::account) cells.emplace_back(user_name(row["uid"].get<std::uint32_t>()));
    cells.emplace_back(core_hours(row["granted_core_s"]));
    cells.emplace_back(core_hours(row["used_core_s"]));
    table.rows.push_back(std::move(cells));
  }
  return to_text(table, style) + "core-hours from " + body["start"].get<std::string>() + " to " +
         body["counted_until"].get<std::string>() + "\n";
}

// The rows of all answers: those of jobs come in pages.
Result<json> ask_all(Session& session, AccountUsage request) {
  json rows = json::array();
  for (;;) {
    auto answer = session.ask(request);
    if (!answer) return tl::unexpected<Error>(answer.error());
    json& body = answer->body;
    for (json& row : body["usage"]) rows.push_back(std::move(row));
    const json& next = body["next_after_job"];
    if (next.is_number()) {
      request.after = JobId{next.get<std::uint64_t>()};
      continue;
    }
    body["usage"] = std::move(rows);
    return std::move(body);
  }
}

}  // namespace

Result<int> show_usage_report(Session& session, const UsageSpanText& text) {
  const auto request = request_of(text, std::time(nullptr));
  if (!request) return tl::unexpected<Error>(request.error());
  const auto answer = ask_all(session, *request);
  if (!answer) return tl::unexpected<Error>(answer.error());
  const json& body = *answer;
  const auto names = [&] {
    std::vector<std::string> all;
    for (const json& row : body["usage"])
      all.push_back(request->by == UsageBy::job ? row["job"].dump() : row["account"].get<std::string>());
    return all;
  };
  const auto shown = session.show(body, {[&](bool) { return text_of(body, request->by, session.style()); },
                                         names, [&] { return csv_of(body, request->by); }});
  if (body["more"] == true) Session::say("there are more; ask for shorter spans, or with --by account");
  return shown;
}

}  // namespace aliquot::ctl
