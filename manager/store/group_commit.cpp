#include "manager/store/group_commit.hpp"

#include "manager/store/log_lines.hpp"
#include "manager/store/schema.hpp"
#include "monitor/codec.hpp"
#include "monitor/codec_cpu_use.hpp"
#include "monitor/codec_step.hpp"

namespace aliquot {

namespace {

// Old rows are removed once in this many lines of the log: rarely enough to cost little, often enough that
// each removal is small.
constexpr std::uint64_t kPruneEvery = 4096;

std::int64_t raw(std::uint64_t number) { return static_cast<std::int64_t>(number); }

}  // namespace

struct GroupCommit::Statements {
  Statement step, log, ended, snapshot, drop_steps, drop_snapshots, answer, drop_log, drop_ended,
      drop_answers, cut_answers, cpu_use, drop_cpu_use, hour, drop_hours, job_hour, drop_job_hours, account,
      uncounted, counted, drop_uncounted, clock, nodes, learned;
};

void GroupCommit::Delete::operator()(Statements* statements) const { delete statements; }

Result<GroupCommit> GroupCommit::open(Db db, Retention retention, const std::string& cluster,
                                      const Replication* replication) {
  GroupCommit self(std::move(db), retention);
  self.replication_ = replication;
  const struct {
    std::uint64_t* target;
    const char* sql;
  } marks[] = {
      {&self.at_.last_step, kLastStep},
      {&self.at_.next_sequence, "SELECT ifnull(max(sequence), 0) + 1 FROM log"},
  };
  for (const auto& mark : marks) {
    const auto value = self.db_.integer(mark.sql);
    if (!value) return tl::unexpected<Error>(value.error());
    *mark.target = static_cast<std::uint64_t>(*value);
  }
  const auto now = self.db_.integer(
      "SELECT max(ifnull((SELECT max(now) FROM steps), 0), ifnull((SELECT max(now) FROM snapshots), 0))");
  if (!now) return tl::unexpected<Error>(now.error());
  self.at_.now = {*now};

  auto mark = DurableMark::open(self.db_.path(), cluster, self.at_.last_step);
  if (!mark) return tl::unexpected<Error>(mark.error());
  self.mark_.emplace(std::move(*mark));

  constexpr const char* kSql[] = {
      "INSERT INTO steps VALUES(?, ?, ?)",
      "INSERT INTO log VALUES(?, ?, ?, ?)",
      "INSERT OR REPLACE INTO ended(job, json, array, array_index) VALUES(?, ?, ?, ?)",
      "INSERT OR REPLACE INTO snapshots VALUES(?, ?, ?)",
      "DELETE FROM steps WHERE number <= ?",
      "DELETE FROM snapshots WHERE steps < ?",
      "INSERT OR IGNORE INTO answers VALUES(?, ?, ?, ?, ?)",
      "DELETE FROM log WHERE sequence < ?",
      "DELETE FROM ended WHERE place <= (SELECT max(place) FROM ended) - ?",
      "DELETE FROM answers WHERE at < ?",
      "DELETE FROM answers WHERE rowid IN (SELECT id FROM (SELECT rowid AS id, row_number() OVER "
      "(PARTITION BY uid ORDER BY rowid DESC) AS place FROM answers) WHERE place > ?)",
      "INSERT OR REPLACE INTO cpu_use VALUES(?, ?)",
      "DELETE FROM cpu_use WHERE job IN "
      "(SELECT job FROM ended WHERE place <= (SELECT max(place) FROM ended) - ?)",
      "INSERT INTO hours(hour, account, uid, granted_us, used_us) VALUES(?, ?, ?, ?, ?) "
      "ON CONFLICT(hour, account, uid) DO UPDATE SET granted_us = excluded.granted_us, "
      "used_us = excluded.used_us",
      "DELETE FROM hours WHERE place <= (SELECT max(place) FROM hours) - ?",
      "INSERT INTO job_hours(hour, job, account, uid, granted_us, used_us) VALUES(?, ?, ?, ?, ?, ?) "
      "ON CONFLICT(hour, job) DO UPDATE SET granted_us = excluded.granted_us, used_us = excluded.used_us",
      "DELETE FROM job_hours WHERE place <= (SELECT max(place) FROM job_hours) - ?",
      "INSERT OR REPLACE INTO accounts VALUES(?, ?)",
      "INSERT OR IGNORE INTO uncounted VALUES(?)",
      "DELETE FROM uncounted WHERE job = ?",
      "DELETE FROM uncounted WHERE job IN "
      "(SELECT job FROM ended WHERE place <= (SELECT max(place) FROM ended) - ?)",
      "INSERT OR REPLACE INTO clocks VALUES(?, ?, ?, ?, ?)",
      "INSERT OR REPLACE INTO nodes VALUES(1, ?)",
      "INSERT OR REPLACE INTO learned VALUES(?, ?)",
  };
  std::vector<Statement> ready;
  for (const char* sql : kSql) {
    auto statement = self.db_.prepare(sql);
    if (!statement) return tl::unexpected<Error>(statement.error());
    ready.push_back(std::move(*statement));
  }
  auto next = ready.begin();
  const auto take = [&] { return std::move(*next++); };
  self.statements_.reset(new Statements{take(), take(), take(), take(), take(), take(), take(), take(),
                                        take(), take(), take(), take(), take(), take(), take(), take(),
                                        take(), take(), take(), take(), take(), take(), take(), take()});
  return self;
}

Result<void> GroupCommit::commit(const std::vector<Work>& group) {
  const Position before = at_;
  auto done = commit_once(group);
  if (!done) at_ = before;
  return done;
}

Result<void> GroupCommit::commit_once(const std::vector<Work>& group) {
  auto transaction = ShippedTransaction::begin(db_, replication_);
  // Asked before the transaction is rolled back.
  const auto note_failure = [this](Error error) {
    disk_is_full_ = db_.disk_is_full();
    return tl::unexpected<Error>(std::move(error));
  };
  if (!transaction) return note_failure(transaction.error());
  for (const Work& work : group) {
    auto done = std::visit([&](const auto& one) { return write(one); }, work);
    if (!done) return note_failure(done.error());
  }
  if (at_.next_sequence >= at_.pruned_at + kPruneEvery) {
    if (auto done = prune(); !done) return note_failure(done.error());
  }
  if (auto done = transaction->commit(); !done) return note_failure(done.error());
  mark_->note(at_.last_step);
  return {};
}

Result<void> GroupCommit::write(const Step& step) {
  if (step.number != at_.last_step + 1) {
    return fail(ErrorKind::internal, "store " + db_.path() + ": step " + std::to_string(step.number) +
                                         " was appended after step " + std::to_string(at_.last_step) +
                                         ": a bug of the manager, please report it; restart it to go on");
  }
  at_.last_step = step.number;
  at_.now = step.now;
  const std::string json = encode_step(step);
  return statements_->step.bind(raw(step.number))
      .bind(step.now.raw)
      .bind(std::string_view(json))
      .run()
      .and_then([&] { return write_log(step); });
}

Result<void> GroupCommit::write_log(const Step& step) {
  for (const StoredLine& line : log_lines(step)) {
    const auto job = line.job ? std::optional(raw(line.job->raw)) : std::nullopt;
    auto done = statements_->log.bind(raw(at_.next_sequence++))
                    .bind(step.now.raw)
                    .bind(job)
                    .bind(std::string_view(line.json))
                    .run();
    if (!done) return done;
  }
  for (const JobOutcome& outcome : step.ended) {
    const std::string json = encode(outcome);
    const auto& member = outcome.submission->member;
    auto done = statements_->ended.bind(raw(outcome.job.raw))
                    .bind(std::string_view(json))
                    .bind(member ? std::optional(raw(member->array.raw)) : std::nullopt)
                    .bind(member ? std::optional(std::int64_t{member->index}) : std::nullopt)
                    .run();
    // An array is no use of the cluster: its members are.
    if (done && !outcome.submission->array) done = statements_->uncounted.bind(raw(outcome.job.raw)).run();
    if (!done) return done;
  }
  return {};
}

// The snapshot contains the effects of all earlier steps, which are removed in the same transaction.
Result<void> GroupCommit::write(const Snapshot& snapshot) {
  if (snapshot.steps > at_.last_step) {
    return fail(ErrorKind::internal, "store " + db_.path() + ": a snapshot of step " +
                                         std::to_string(snapshot.steps) +
                                         " came before that step: a bug of " +
                                         "the manager, please report it; restart it to go on");
  }
  return statements_->snapshot.bind(raw(snapshot.steps))
      .bind(snapshot.now.raw)
      .bind(std::string_view(snapshot.json))
      .run()
      .and_then([&] { return statements_->drop_steps.bind(raw(snapshot.steps)).run(); })
      .and_then([&] { return statements_->drop_snapshots.bind(raw(snapshot.steps)).run(); })
      .and_then([&] { return prune(); });
}

// The first answer to a key is kept.
Result<void> GroupCommit::write(const Answer& answer) {
  return statements_->answer.bind(std::int64_t{answer.key.uid})
      .bind(std::string_view(answer.key.text))
      .bind(at_.now.raw)
      .bind(std::string_view(answer.answered.body_sha256))
      .bind(std::string_view(answer.answered.reply))
      .run();
}

Result<void> GroupCommit::write(const CpuUses& uses) {
  for (const auto& [job, use] : uses.uses) {
    const std::string json = encode(use);
    if (auto done = statements_->cpu_use.bind(raw(job.raw)).bind(std::string_view(json)).run(); !done)
      return done;
  }
  for (const HourUse& hour : uses.hours) {
    Statement& statement = hour.job ? statements_->job_hour.bind(hour.hour).bind(raw(hour.job->raw))
                                    : statements_->hour.bind(hour.hour);
    auto done = statement.bind(std::string_view(hour.user.account))
                    .bind(std::int64_t{hour.user.uid})
                    .bind(hour.cpu.granted.raw)
                    .bind(hour.cpu.used.raw)
                    .run();
    if (!done) return done;
  }
  return {};
}

Result<void> GroupCommit::write(const AccountUses& uses) {
  for (const auto& [account, use] : uses.totals) {
    const std::string json = encode(use);
    auto done = statements_->account.bind(std::string_view(account)).bind(std::string_view(json)).run();
    if (!done) return done;
  }
  for (const JobId job : uses.counted)
    if (auto done = statements_->counted.bind(raw(job.raw)).run(); !done) return done;
  return {};
}

Result<void> GroupCommit::write(const ClockRow& row) {
  return statements_->clock.bind(raw(row.epoch))
      .bind(row.first.raw)
      .bind(row.offset_us)
      .bind(std::string_view(row.boot))
      .bind(row.uptime_us)
      .run();
}

Result<void> GroupCommit::write(const KnownNodes& nodes) {
  return statements_->nodes.bind(std::string_view(nodes.text)).run();
}

Result<void> GroupCommit::write(const Learned& learned) {
  return statements_->learned.bind(std::string_view(learned.name))
      .bind(std::string_view(learned.text))
      .run();
}

Result<void> GroupCommit::prune() {
  at_.pruned_at = at_.next_sequence;
  const std::int64_t oldest_line = raw(at_.next_sequence) - raw(retention_.log_rows);
  return statements_->drop_log.bind(oldest_line)
      .run()
      .and_then([&] { return statements_->drop_cpu_use.bind(raw(retention_.ended_rows)).run(); })
      .and_then([&] { return statements_->drop_uncounted.bind(raw(retention_.ended_rows)).run(); })
      .and_then([&] { return statements_->drop_hours.bind(raw(retention_.hour_rows)).run(); })
      .and_then([&] { return statements_->drop_job_hours.bind(raw(retention_.job_hour_rows)).run(); })
      .and_then([&] { return statements_->drop_ended.bind(raw(retention_.ended_rows)).run(); })
      .and_then([&] { return statements_->drop_answers.bind((at_.now - retention_.answers).raw).run(); })
      .and_then([&] { return statements_->cut_answers.bind(raw(retention_.answers_of_user)).run(); });
}

}  // namespace aliquot
