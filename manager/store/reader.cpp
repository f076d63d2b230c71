#include "manager/store/reader.hpp"

#include <algorithm>
#include <limits>

#include "monitor/codec.hpp"
#include "monitor/codec_cpu_use.hpp"

namespace aliquot {

namespace {

std::int64_t limit(std::size_t count) {
  return static_cast<std::int64_t>(std::min<std::size_t>(count, std::numeric_limits<std::int32_t>::max()));
}

std::int64_t raw(std::uint64_t number) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(number, most));
}

Result<JobOutcome> outcome(const Statement& row, const std::string& path) {
  return decode<JobOutcome>(row.text(0)).map_error([&](const Error& error) {
    return Error{ErrorKind::refused, "store " + path + ": the record of an ended job: " + error.message +
                                         ": 'aliquot db check' lists all that is damaged"};
  });
}

Result<std::vector<LoggedEvent>> logged(Statement& query) {
  std::vector<LoggedEvent> result;
  for (;;) {
    const auto row = query.step();
    if (!row) return tl::unexpected<Error>(row.error());
    if (!*row) return result;
    const auto of = query.maybe_integer(2);
    result.push_back({static_cast<std::uint64_t>(query.integer(0)),
                      {query.integer(1)},
                      of ? std::optional(JobId{static_cast<std::uint64_t>(*of)}) : std::nullopt,
                      query.text(3)});
  }
}

Result<std::vector<JobOutcome>> outcomes(Statement& query, const std::string& path) {
  std::vector<JobOutcome> result;
  for (;;) {
    const auto row = query.step();
    if (!row) return tl::unexpected<Error>(row.error());
    if (!*row) return result;
    auto found = outcome(query, path);
    if (!found) {
      query.reset();
      return tl::unexpected<Error>(found.error());
    }
    result.push_back(std::move(*found));
  }
}

}  // namespace

struct Reader::Statements {
  Statement ended, ended_jobs, ended_page, ended_of_array, ended_member, events, events_of_job, before,
      before_of_job, story, answered, cpu_use, hours, job_hours, accounts, uncounted;
};

Reader::Reader(Db db, std::unique_ptr<Statements> statements)
    : db_(std::move(db)), statements_(std::move(statements)) {}
Reader::~Reader() = default;

Result<std::unique_ptr<Reader>> Reader::open(const std::string& path) {
  auto db = Db::open(path, Db::Access::read_only);
  if (!db) return tl::unexpected<Error>(db.error());
  constexpr const char* kSql[] = {
      "SELECT json FROM ended WHERE job = ?",
      "SELECT json FROM ended ORDER BY place DESC LIMIT ?",
      // Without a job before which they ended: all of them. An unknown one has no place, and nothing is
      // less.
      "SELECT json FROM ended WHERE array IS NULL AND "
      "place < iif(?1 IS NULL, 9223372036854775807, (SELECT place FROM ended WHERE job = ?1)) "
      "ORDER BY place DESC LIMIT ?2",
      "SELECT json FROM ended WHERE array = ?3 AND "
      "place < iif(?1 IS NULL, 9223372036854775807, (SELECT place FROM ended WHERE job = ?1)) "
      "ORDER BY place DESC LIMIT ?2",
      "SELECT json FROM ended WHERE array = ? AND array_index = ?",
      "SELECT sequence, at, job, json FROM log WHERE sequence > ? ORDER BY sequence LIMIT ?",
      "SELECT sequence, at, job, json FROM log WHERE job = ? AND sequence > ? ORDER BY sequence LIMIT ?",
      "SELECT sequence, at, job, json FROM log WHERE sequence < ? ORDER BY sequence DESC LIMIT ?",
      "SELECT sequence, at, job, json FROM log WHERE job = ? AND sequence < ? ORDER BY sequence DESC LIMIT "
      "?",
      // A quotation mark within a text is escaped, so only a key looks like this.
      "SELECT sequence, at, job, json FROM log WHERE job = ? AND json LIKE '%\"turn\":%' "
      "ORDER BY sequence DESC LIMIT ?",
      // A key without a user is of a version in which all users shared the keys.
      "SELECT body_sha256, reply FROM answers WHERE uid IN (?, -1) AND key = ? ORDER BY uid DESC",
      "SELECT json FROM cpu_use WHERE job = ?",
      "SELECT account, uid, sum(granted_us), sum(used_us) FROM hours WHERE hour >= ? AND hour < ? "
      "GROUP BY account, uid",
      "SELECT job, account, uid, sum(granted_us), sum(used_us) FROM job_hours WHERE hour >= ? AND hour < ? "
      "AND job > ? GROUP BY job ORDER BY job LIMIT ?",
      "SELECT account, json FROM accounts ORDER BY account",
      "SELECT job FROM uncounted ORDER BY job",
  };
  std::vector<Statement> ready;
  for (const char* sql : kSql) {
    auto statement = db->prepare(sql);
    if (!statement) return tl::unexpected<Error>(statement.error());
    ready.push_back(std::move(*statement));
  }
  auto next = ready.begin();
  const auto take = [&] { return std::move(*next++); };
  std::unique_ptr<Statements> statements(new Statements{take(), take(), take(), take(), take(), take(),
                                                        take(), take(), take(), take(), take(), take(),
                                                        take(), take(), take(), take()});
  return std::unique_ptr<Reader>(new Reader(std::move(*db), std::move(statements)));
}

Result<std::optional<JobOutcome>> Reader::ended(JobId job) {
  const std::lock_guard lock(mutex_);
  Statement& query = statements_->ended.bind(static_cast<std::int64_t>(job.raw));
  const auto row = query.step();
  if (!row) return tl::unexpected<Error>(row.error());
  if (!*row) return std::nullopt;
  auto found = outcome(query, db_.path());
  query.reset();
  if (!found) return tl::unexpected<Error>(found.error());
  return std::optional(std::move(*found));
}

Result<std::vector<JobOutcome>> Reader::ended_jobs(std::size_t newest) {
  const std::lock_guard lock(mutex_);
  return outcomes(statements_->ended_jobs.bind(limit(newest)), db_.path());
}

Result<std::vector<JobOutcome>> Reader::ended_page(const EndedPage& page) {
  const std::lock_guard lock(mutex_);
  const auto before = page.before ? std::optional(raw(page.before->raw)) : std::nullopt;
  Statement& query = page.array ? statements_->ended_of_array : statements_->ended_page;
  query.bind(before).bind(limit(page.newest));
  if (page.array) query.bind(raw(page.array->raw));
  return outcomes(query, db_.path());
}

Result<std::optional<JobOutcome>> Reader::ended_member(const ArrayMember& member) {
  const std::lock_guard lock(mutex_);
  auto found = outcomes(
      statements_->ended_member.bind(raw(member.array.raw)).bind(std::int64_t{member.index}), db_.path());
  if (!found) return tl::unexpected<Error>(found.error());
  return found->empty() ? std::nullopt : std::optional(std::move(found->front()));
}

Result<std::optional<JobUse>> Reader::cpu_use(JobId job) {
  const std::lock_guard lock(mutex_);
  Statement& query = statements_->cpu_use.bind(raw(job.raw));
  const auto row = query.step();
  if (!row) return tl::unexpected<Error>(row.error());
  if (!*row) return std::nullopt;
  auto found = decode<JobUse>(query.text(0));
  query.reset();
  if (!found)
    return fail(ErrorKind::refused, "store " + db_.path() + ": the CPU of job " + std::to_string(job.raw) +
                                        ": " + found.error().message +
                                        ": 'aliquot db check' lists all that is damaged");
  return std::optional(std::move(*found));
}

Result<CpuByUser> Reader::cpu_between(std::int64_t first, std::int64_t end) {
  const std::lock_guard lock(mutex_);
  CpuByUser sums;
  Statement& query = statements_->hours.bind(first).bind(end);
  for (;;) {
    const auto row = query.step();
    if (!row) return tl::unexpected<Error>(row.error());
    if (!*row) return sums;
    sums[{query.text(0), static_cast<std::uint32_t>(query.integer(1))}] = {{query.integer(2)},
                                                                           {query.integer(3)}};
  }
}

Result<CpuByJob> Reader::cpu_of_jobs(const JobHours& span) {
  const std::lock_guard lock(mutex_);
  CpuByJob sums;
  Statement& query = statements_->job_hours.bind(span.first)
                         .bind(span.end)
                         .bind(raw(span.after.raw))
                         .bind(raw(span.at_most));
  for (;;) {
    const auto row = query.step();
    if (!row) return tl::unexpected<Error>(row.error());
    if (!*row) return sums;
    sums[JobId{static_cast<std::uint64_t>(query.integer(0))}] = {
        {query.text(1), static_cast<std::uint32_t>(query.integer(2))},
        {{query.integer(3)}, {query.integer(4)}}};
  }
}

Result<std::vector<std::pair<std::string, AccountUse>>> Reader::accounts() {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, AccountUse>> result;
  Statement& query = statements_->accounts;
  for (;;) {
    const auto row = query.step();
    if (!row) return tl::unexpected<Error>(row.error());
    if (!*row) return result;
    auto found = decode<AccountUse>(query.text(1));
    if (!found) {
      const std::string name = query.text(0);
      query.reset();
      return fail(ErrorKind::refused, "store " + db_.path() + ": the totals of account '" + name +
                                          "': " + found.error().message +
                                          ": 'aliquot db check' lists all that is damaged");
    }
    result.emplace_back(query.text(0), *found);
  }
}

Result<std::vector<JobId>> Reader::uncounted() {
  const std::lock_guard lock(mutex_);
  std::vector<JobId> result;
  Statement& query = statements_->uncounted;
  for (;;) {
    const auto row = query.step();
    if (!row) return tl::unexpected<Error>(row.error());
    if (!*row) return result;
    result.push_back({static_cast<std::uint64_t>(query.integer(0))});
  }
}

Result<std::vector<LoggedEvent>> Reader::events(std::optional<JobId> job, std::uint64_t after,
                                                std::size_t at_most) {
  const std::lock_guard lock(mutex_);
  Statement& query =
      job ? statements_->events_of_job.bind(static_cast<std::int64_t>(job->raw)) : statements_->events;
  query.bind(raw(after)).bind(limit(at_most));
  return logged(query);
}

Result<std::vector<LoggedEvent>> Reader::events_before(std::optional<JobId> job, std::uint64_t before,
                                                       std::size_t at_most) {
  const std::lock_guard lock(mutex_);
  Statement& query = job ? statements_->before_of_job.bind(raw(job->raw)) : statements_->before;
  query.bind(raw(before)).bind(limit(at_most));
  return logged(query);
}

Result<std::vector<LoggedEvent>> Reader::story(JobId job, std::size_t newest) {
  const std::lock_guard lock(mutex_);
  return logged(statements_->story.bind(raw(job.raw)).bind(limit(newest))).map([](auto lines) {
    std::reverse(lines.begin(), lines.end());
    return lines;
  });
}

Result<std::uint64_t> Reader::newest_event() {
  const std::lock_guard lock(mutex_);
  return db_.integer("SELECT ifnull(max(sequence), 0) FROM log").map([](std::int64_t newest) {
    return static_cast<std::uint64_t>(newest);
  });
}

Result<std::optional<Store::Answered>> Reader::answered(const IdempotencyKey& key) {
  const std::lock_guard lock(mutex_);
  Statement& query = statements_->answered.bind(std::int64_t{key.uid}).bind(std::string_view(key.text));
  const auto row = query.step();
  if (!row) return tl::unexpected<Error>(row.error());
  if (!*row) return std::nullopt;
  Store::Answered found{query.text(0), query.text(1)};
  query.reset();
  return std::optional(std::move(found));
}

}  // namespace aliquot
