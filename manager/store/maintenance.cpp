#include "manager/store/maintenance.hpp"

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "manager/store/durable_mark.hpp"
#include "manager/store/recovery.hpp"
#include "manager/store/schema.hpp"
#include "manager/store/sqlite_db.hpp"
#include "manager/store/state_codec.hpp"
#include "monitor/codec.hpp"
#include "monitor/codec_cpu_use.hpp"
#include "monitor/codec_step.hpp"

namespace aliquot {

namespace {

// A consistent view of the store even while a manager writes: a read transaction, which ends with the
// connection.
Result<Db> open_for_reading(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return fail(ErrorKind::not_found, "store " + path +
                                          ": there is no such file: name the manager's state "
                                          "directory by its configuration");
  }
  auto db = Db::open(path, Db::Access::read_only);
  if (!db) return db;
  const auto ready = require_schema(*db).and_then([&] { return db->execute("BEGIN", "begin to read"); });
  if (!ready) return tl::unexpected<Error>(ready.error());
  return db;
}

// Calls `each` with every row of the query until it returns an Error.
template <class Each>
Result<void> for_rows(const Db& db, const char* sql, Each each) {
  auto query = db.prepare(sql);
  if (!query) return tl::unexpected<Error>(query.error());
  for (;;) {
    const auto row = query->step();
    if (!row) return tl::unexpected<Error>(row.error());
    if (!*row) return {};
    Result<void> done = each(*query);
    if (!done) return done;
  }
}

class Examination {
 public:
  Examination(const Db& db, std::optional<DurableMark::Said> mark) : db_(db), mark_(std::move(mark)) {}

  StoreCheck run() {
    section([&] { return pages(); });
    section([&] { return identity(); });
    section([&] { return snapshot(); });
    section([&] { return steps(); });
    section([&] { return ended(); });
    section([&] { return cpu_use(); });
    section([&] { return accounts(); });
    section([&] { return log(); });
    section([&] { return check_durable_mark(db_.path(), mark_, check_.cluster_id, check_.last_step); });
    return std::move(check_);
  }

 private:
  // An unreadable section is reported as a problem, and the other sections are still checked.
  template <class Section>
  void section(Section examine) {
    if (const Result<void> done = examine(); !done) problem(done.error().message);
  }
  void problem(std::string text) {
    if (check_.problems.size() < StoreCheck::kMaxProblems) check_.problems.push_back(std::move(text));
  }
  Result<void> pages() {
    return for_rows(db_, "PRAGMA integrity_check", [&](const Statement& row) -> Result<void> {
      if (row.text(0) != "ok") problem("SQLite: " + row.text(0));
      return {};
    });
  }
  Result<void> identity() {
    return for_rows(db_, "SELECT cluster_id, epoch FROM identity",
                    [&](const Statement& row) -> Result<void> {
                      check_.cluster_id = row.text(0);
                      check_.epoch = static_cast<std::uint64_t>(row.integer(1));
                      return {};
                    })
        .map([&] {
          if (check_.cluster_id.empty())
            problem("the store has no identity: no manager has ever opened it");
        });
  }
  Result<void> snapshot() {
    return for_rows(db_, "SELECT steps, json FROM snapshots ORDER BY steps",
                    [&](const Statement& row) -> Result<void> {
                      const auto number = static_cast<std::uint64_t>(row.integer(0));
                      const auto state = decode_state(row.text(1));
                      const std::string which = "the snapshot of step " + std::to_string(number);
                      if (!state) problem(which + ": " + state.error().message);
                      if (state && state->steps != number)
                        problem(which + " says it is of step " + std::to_string(state->steps));
                      check_.snapshot_step = check_.last_step = number;
                      return {};
                    });
  }
  Result<void> steps() {
    return for_rows(db_, "SELECT number, json FROM steps ORDER BY number",
                    [&](const Statement& row) -> Result<void> {
                      const auto number = static_cast<std::uint64_t>(row.integer(0));
                      const std::string which = "step " + std::to_string(number);
                      if (number != check_.last_step + 1) {
                        problem(which + " follows step " + std::to_string(check_.last_step) +
                                ": steps are missing or left over");
                      }
                      const auto step = decode_step(row.text(1));
                      if (!step) problem(which + ": " + step.error().message);
                      if (step && step->number != number)
                        problem(which + " says it is step " + std::to_string(step->number));
                      check_.last_step = number;
                      ++check_.steps;
                      return {};
                    });
  }
  Result<void> ended() {
    return for_rows(db_, "SELECT job, json FROM ended", [&](const Statement& row) -> Result<void> {
      const auto job = static_cast<std::uint64_t>(row.integer(0));
      const auto outcome = decode<JobOutcome>(row.text(1));
      const std::string which = "ended job " + std::to_string(job);
      if (!outcome) problem(which + ": " + outcome.error().message);
      if (outcome && outcome->job.raw != job)
        problem(which + " says it is job " + std::to_string(outcome->job.raw));
      ++check_.ended_jobs;
      return {};
    });
  }
  Result<void> cpu_use() {
    return for_rows(db_, "SELECT job, json FROM cpu_use", [&](const Statement& row) -> Result<void> {
      if (const auto use = decode<JobUse>(row.text(1)); !use)
        problem("the CPU of job " + std::to_string(row.integer(0)) + ": " + use.error().message);
      return {};
    });
  }
  Result<void> accounts() {
    return for_rows(db_, "SELECT account, json FROM accounts", [&](const Statement& row) -> Result<void> {
      if (const auto use = decode<AccountUse>(row.text(1)); !use)
        problem("the totals of account '" + row.text(0) + "': " + use.error().message);
      return {};
    });
  }
  Result<void> log() {
    return for_rows(db_, "SELECT sequence, json FROM log", [&](const Statement& row) -> Result<void> {
      if (!nlohmann::json::accept(row.text(1)))
        problem("log line " + std::to_string(row.integer(0)) + ": not JSON");
      ++check_.log_lines;
      return {};
    });
  }

  const Db& db_;
  std::optional<DurableMark::Said> mark_;
  StoreCheck check_;
};

Result<void> wrote(const std::ostream& out) {
  if (out) return {};
  return fail(ErrorKind::unavailable,
              "the export cannot be written: free space where it goes, or send it elsewhere");
}

}  // namespace

Result<StoreCheck> check_store(const std::string& path) {
  const auto mark = DurableMark::read(path);
  return open_for_reading(path).map([&](const Db& db) { return Examination(db, mark).run(); });
}

Result<std::uint64_t> export_jobs(const std::string& path, std::ostream& out) {
  const auto db = open_for_reading(path);
  if (!db) return tl::unexpected<Error>(db.error());
  auto state = read_state(*db);
  if (!state) return tl::unexpected<Error>(state.error());
  std::map<std::uint64_t, nlohmann::json> jobs;
  const auto open = [&](JobId job, const Submission& submission) {
    jobs[job.raw] = {
        {"job", job.raw}, {"state", "open"}, {"submission", nlohmann::json::parse(encode(submission))}};
  };
  if (state->snapshot)
    for (const auto& [id, record] : state->snapshot->records) open(id, *record.submission);
  for (const Step& step : state->steps)
    for (const Event& event : step.events)
      if (const auto* submitted = std::get_if<Submitted>(&event))
        open(submitted->job, *submitted->submission);
  const auto read = for_rows(*db, "SELECT job, json FROM ended", [&](const Statement& row) -> Result<void> {
    const auto job = static_cast<std::uint64_t>(row.integer(0));
    jobs[job] = {
        {"job", job}, {"state", "ended"}, {"outcome", nlohmann::json::parse(row.text(1), nullptr, false)}};
    return {};
  });
  if (!read) return tl::unexpected<Error>(read.error());
  for (const auto& [id, job] : jobs) out << to_line(job) << '\n';
  out.flush();
  return wrote(out).map([&] { return std::uint64_t{jobs.size()}; });
}

Result<std::uint64_t> export_store(const std::string& path, std::ostream& out) {
  const auto db = open_for_reading(path);
  if (!db) return tl::unexpected<Error>(db.error());
  std::uint64_t steps = 0;
  const auto done =
      for_rows(*db, "SELECT cluster_id, epoch, born_unix_us FROM identity",
               [&](const Statement& row) {
                 const nlohmann::json identity = {{"cluster_id", row.text(0)},
                                                  {"epoch", row.integer(1)},
                                                  {"born_unix_us", row.integer(2)}};
                 out << to_line({{"store", identity}}) << '\n';
                 return wrote(out);
               })
          .and_then([&] {
            return for_rows(*db, "SELECT json FROM snapshots ORDER BY steps DESC LIMIT 1",
                            [&](const Statement& row) {
                              out << R"({"snapshot":)" << row.text(0) << "}\n";
                              return wrote(out);
                            });
          })
          .and_then([&] {
            return for_rows(*db, "SELECT json FROM steps ORDER BY number", [&](const Statement& row) {
              out << row.text(0) << '\n';
              ++steps;
              return wrote(out);
            });
          });
  out.flush();
  return done.and_then([&] { return wrote(out); }).map([&] { return steps; });
}

}  // namespace aliquot
