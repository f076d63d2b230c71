#include "manager/store/schema.hpp"

#include <array>
#include <string>

namespace aliquot {

namespace {

// steps      the event log since the newest snapshot
// snapshots  the newest state; `steps` is the number of the last step in it
// log        the history of jobs and nodes, for people: kept longer than the steps, bounded
// ended      jobs that have ended, in the order in which they did
// answers    idempotency keys with their first answers; `at` is an Instant
constexpr const char* kVersion1 = R"(
CREATE TABLE identity(
  one INTEGER PRIMARY KEY CHECK(one = 1),
  cluster_id TEXT NOT NULL, epoch INTEGER NOT NULL, born_unix_us INTEGER NOT NULL) STRICT;
CREATE TABLE steps(number INTEGER PRIMARY KEY, now INTEGER NOT NULL, json TEXT NOT NULL) STRICT;
CREATE TABLE snapshots(steps INTEGER PRIMARY KEY, now INTEGER NOT NULL, json TEXT NOT NULL) STRICT;
CREATE TABLE log(
  sequence INTEGER PRIMARY KEY, at INTEGER NOT NULL, job INTEGER, json TEXT NOT NULL) STRICT;
CREATE INDEX log_of_job ON log(job) WHERE job IS NOT NULL;
CREATE TABLE ended(place INTEGER PRIMARY KEY, job INTEGER NOT NULL UNIQUE, json TEXT NOT NULL) STRICT;
CREATE TABLE answers(
  key TEXT PRIMARY KEY, at INTEGER NOT NULL, body_sha256 TEXT NOT NULL, reply TEXT NOT NULL) STRICT;
CREATE INDEX answers_by_age ON answers(at);
)";

// cpu_use    the CPU use of each job at the last reading of its counters; removed with the row in `ended`
constexpr const char* kVersion2 = R"(
CREATE TABLE cpu_use(job INTEGER PRIMARY KEY, json TEXT NOT NULL) STRICT;
)";

// accounts   the totals over the ended jobs of each account
// uncounted  ended jobs that are not in these totals yet; after a migration, all ended jobs of the file
constexpr const char* kVersion3 = R"(
CREATE TABLE accounts(account TEXT PRIMARY KEY, json TEXT NOT NULL) STRICT;
CREATE TABLE uncounted(job INTEGER PRIMARY KEY) STRICT;
INSERT INTO uncounted SELECT job FROM ended;
)";

// answers    each key belongs to a user; uid -1: to all users, for the keys of a file that did not know
// users
constexpr const char* kVersion4 = R"(
ALTER TABLE answers RENAME TO answers_of_all;
DROP INDEX answers_by_age;
CREATE TABLE answers(
  uid INTEGER NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, body_sha256 TEXT NOT NULL,
  reply TEXT NOT NULL, PRIMARY KEY(uid, key)) STRICT;
CREATE INDEX answers_by_age ON answers(at);
INSERT INTO answers SELECT -1, key, at, body_sha256, reply FROM answers_of_all;
DROP TABLE answers_of_all;
)";

// clocks     how the Instants of each run relate to the wall clock and to the uptime of the machine; a file
// that did not know runs has the wall clock at Instant 0 for all of them
constexpr const char* kVersion5 = R"(
CREATE TABLE clocks(
  epoch INTEGER PRIMARY KEY, first INTEGER NOT NULL, offset_us INTEGER NOT NULL, boot TEXT NOT NULL,
  uptime_us INTEGER NOT NULL) STRICT;
INSERT INTO clocks SELECT epoch, 0, born_unix_us, '', 0 FROM identity;
)";

// nodes      what is known of the nodes beside the configuration, as one text
constexpr const char* kVersion6 = R"(
CREATE TABLE nodes(one INTEGER PRIMARY KEY CHECK(one = 1), json TEXT NOT NULL) STRICT;
)";

// learned    what parts of the manager have learned from jobs, each one text
constexpr const char* kVersion7 = R"(
CREATE TABLE learned(name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;
)";

// ended      of a member of an array, whose member it is; earlier files have none
constexpr const char* kVersion8 = R"(
ALTER TABLE ended ADD COLUMN array INTEGER;
ALTER TABLE ended ADD COLUMN array_index INTEGER;
CREATE INDEX ended_of_no_array ON ended(place) WHERE array IS NULL;
CREATE INDEX ended_of_array ON ended(array) WHERE array IS NOT NULL;
CREATE INDEX ended_members ON ended(array, array_index) WHERE array IS NOT NULL;
)";

// hours      CPU time by hour of UTC, account and user, from the migration on; the newest rows are kept
constexpr const char* kVersion9 = R"(
CREATE TABLE hours(
  place INTEGER PRIMARY KEY, hour INTEGER NOT NULL, account TEXT NOT NULL, uid INTEGER NOT NULL,
  granted_us INTEGER NOT NULL, used_us INTEGER NOT NULL) STRICT;
CREATE UNIQUE INDEX hours_of_user ON hours(hour, account, uid);
)";

// replica    of a store that is kept on several machines, the number of the newest batch of changes in it
constexpr const char* kVersion10 = R"(
CREATE TABLE replica(one INTEGER PRIMARY KEY CHECK(one = 1), batch INTEGER NOT NULL) STRICT;
)";

// job_hours  the same of single jobs, from the migration on; the newest rows are kept
constexpr const char* kVersion11 = R"(
CREATE TABLE job_hours(
  place INTEGER PRIMARY KEY, hour INTEGER NOT NULL, job INTEGER NOT NULL, account TEXT NOT NULL,
  uid INTEGER NOT NULL, granted_us INTEGER NOT NULL, used_us INTEGER NOT NULL) STRICT;
CREATE UNIQUE INDEX hours_of_job ON job_hours(hour, job);
)";

constexpr std::array<const char*, kSchemaVersion> kMigrations{kVersion1, kVersion2,  kVersion3, kVersion4,
                                                              kVersion5, kVersion6,  kVersion7, kVersion8,
                                                              kVersion9, kVersion10, kVersion11};

struct Mark {
  std::int64_t application = 0;
  std::int64_t version = 0;
  std::int64_t objects = 0;
};

Result<Mark> read_mark(const Db& db) {
  Mark mark;
  const std::pair<std::int64_t*, const char*> queries[] = {
      {&mark.application, "PRAGMA application_id"},
      {&mark.version, "PRAGMA user_version"},
      {&mark.objects, "SELECT count(*) FROM sqlite_schema"},
  };
  for (const auto& [target, sql] : queries) {
    const auto value = db.integer(sql);
    if (!value) return tl::unexpected<Error>(value.error());
    *target = *value;
  }
  return mark;
}

Result<void> refuse_other_files(const Db& db, const Mark& mark) {
  const bool empty = mark.objects == 0 && mark.version == 0 && mark.application == 0;
  if (!empty && mark.application != kApplicationId) {
    return fail(ErrorKind::refused, "store " + db.path() +
                                        ": this is an SQLite file of some other program: set it aside, or "
                                        "name another state directory");
  }
  if (mark.version > kSchemaVersion) {
    return fail(ErrorKind::unsupported,
                "store " + db.path() + ": written by a newer Aliquot (schema " +
                    std::to_string(mark.version) + ", this program knows " +
                    std::to_string(kSchemaVersion) +
                    "): run that version, or restore a backup made before the upgrade");
  }
  return {};
}

}  // namespace

Result<void> bring_up_to_date(Db& db) {
  const auto mark = read_mark(db);
  if (!mark) return tl::unexpected<Error>(mark.error());
  if (auto ours = refuse_other_files(db, *mark); !ours) return ours;
  if (mark->version == kSchemaVersion) return {};
  auto transaction = Transaction::begin(db);
  if (!transaction) return tl::unexpected<Error>(transaction.error());
  for (auto version = static_cast<std::size_t>(mark->version); version < kMigrations.size(); ++version) {
    if (auto done = db.execute(kMigrations[version], "make its tables"); !done) return done;
  }
  const std::string stamp = "PRAGMA application_id = " + std::to_string(kApplicationId) +
                            "; PRAGMA user_version = " + std::to_string(kSchemaVersion);
  if (auto done = db.execute(stamp.c_str(), "stamp its version"); !done) return done;
  return transaction->commit();
}

Result<void> require_schema(const Db& db) {
  const auto mark = read_mark(db);
  if (!mark) return tl::unexpected<Error>(mark.error());
  if (auto ours = refuse_other_files(db, *mark); !ours) return ours;
  if (mark->version == kSchemaVersion) return {};
  return fail(ErrorKind::refused, "store " + db.path() + ": of schema " + std::to_string(mark->version) +
                                      ", this program reads " + std::to_string(kSchemaVersion) +
                                      ": start the manager once, it brings the file up to date");
}

}  // namespace aliquot
