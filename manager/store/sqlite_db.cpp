#include "manager/store/sqlite_db.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <utility>

namespace aliquot {

namespace {

// How long to wait for a lock of another process (an export, the sqlite3 shell) before giving up.
constexpr int kBusyMs = 5000;

struct Verdict {
  int code;
  ErrorKind kind;
  const char* way_out;
};
constexpr Verdict kVerdicts[] = {
    {SQLITE_FULL, ErrorKind::unavailable, "the disk is full: free space on it"},
    {SQLITE_READONLY, ErrorKind::unavailable,
     "it cannot be written: give the manager's user write access to the file and its directory, or remount "
     "the file system read-write"},
    {SQLITE_CANTOPEN, ErrorKind::unavailable,
     "it cannot be opened: check that the directory exists, that the manager's user may write there and "
     "that "
     "the disk is not full"},
    {SQLITE_PERM, ErrorKind::unavailable, "access is denied: give the manager's user access to it"},
    {SQLITE_BUSY, ErrorKind::conflict,
     "another process holds its lock: find it with 'fuser' on the file and end it"},
    {SQLITE_LOCKED, ErrorKind::conflict,
     "another process holds its lock: find it with 'fuser' on the file and end it"},
    {SQLITE_NOTADB, ErrorKind::refused,
     "it is not an SQLite file: set it aside, and put a backup in its place or start with an empty state"},
    {SQLITE_CORRUPT, ErrorKind::refused,
     "it is damaged: set it aside with its -wal, see what 'aliquot db check' and 'aliquot db export' can "
     "read of it, then put a backup in its place"},
    // Our statements are the same for every store, so it is not they that are wrong.
    {SQLITE_ERROR, ErrorKind::refused,
     "it is damaged, for its tables are not those of a store: set it aside with its -wal, then put a "
     "backup in its place"},
    {SQLITE_IOERR, ErrorKind::unavailable, "the disk failed to answer: look at the kernel's log"},
    {SQLITE_NOMEM, ErrorKind::unavailable, "there is no memory left on this machine"},
};

Error failure(const std::string& path, std::string_view doing, int code, const char* said) {
  Error error{ErrorKind::internal, "store " + path + ": cannot " + std::string(doing)};
  for (const Verdict& verdict : kVerdicts) {
    if ((code & 0xff) != verdict.code) continue;
    error.kind = verdict.kind;
    error.message += std::string(": ") + verdict.way_out;
  }
  error.message += " (SQLite " + std::to_string(code) + ": " + said + ")";
  return error;
}

// A write-ahead log and its index that cannot grow are errors of input and output to SQLite.
int code_of(sqlite3* db) {
  const int code = sqlite3_extended_errcode(db);
  const int system = sqlite3_system_errno(db);
  const bool full = (code & 0xff) == SQLITE_IOERR && (system == ENOSPC || system == EDQUOT);
  return full ? SQLITE_FULL : code;
}

tl::unexpected<Error> failed(sqlite3* db, const std::string& path, std::string_view doing) {
  return tl::unexpected<Error>(failure(path, doing, code_of(db), sqlite3_errmsg(db)));
}

// The first word of the statement names the operation in messages.
std::string doing(const char* sql) {
  const std::string_view text = sql != nullptr ? sql : "run a statement";
  return "run \"" + std::string(text.substr(0, 60)) + (text.size() > 60 ? "...\"" : "\"");
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement& Statement::bind(std::int64_t value) {
  const int code = sqlite3_bind_int64(raw_.get(), next_++, value);
  if (bound_ == SQLITE_OK) bound_ = code;
  return *this;
}
Statement& Statement::bind(std::string_view text) {
  const char* start = text.data() != nullptr ? text.data() : "";
  const int code = sqlite3_bind_text64(raw_.get(), next_++, start, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  if (bound_ == SQLITE_OK) bound_ = code;
  return *this;
}
Statement& Statement::bind(std::optional<std::int64_t> value) {
  if (value) return bind(*value);
  const int code = sqlite3_bind_null(raw_.get(), next_++);
  if (bound_ == SQLITE_OK) bound_ = code;
  return *this;
}

Result<bool> Statement::step() {
  const int code = bound_ != SQLITE_OK ? bound_ : sqlite3_step(raw_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    reset();
    return false;
  }
  sqlite3* db = sqlite3_db_handle(raw_.get());
  const int extended = bound_ != SQLITE_OK ? bound_ : code_of(db);
  Error error = failure(path_, doing(sqlite3_sql(raw_.get())), extended, sqlite3_errstr(extended));
  reset();
  return tl::unexpected<Error>(std::move(error));
}
Result<void> Statement::run() {
  return step().map([](bool) {});
}
void Statement::reset() {
  sqlite3_reset(raw_.get());
  sqlite3_clear_bindings(raw_.get());
  next_ = 1;
  bound_ = SQLITE_OK;
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(raw_.get(), column); }
std::optional<std::int64_t> Statement::maybe_integer(int column) const {
  if (sqlite3_column_type(raw_.get(), column) == SQLITE_NULL) return std::nullopt;
  return integer(column);
}
std::string Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(raw_.get(), column));
  const int size = sqlite3_column_bytes(raw_.get(), column);
  return bytes != nullptr ? std::string(bytes, static_cast<std::size_t>(size)) : std::string();
}

void Db::Close::operator()(sqlite3* db) const { sqlite3_close_v2(db); }

Result<Db> Db::open(const std::string& path, Access access) {
  const int flags =
      access == Access::create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  Db db(raw, path);
  if (code != SQLITE_OK) {
    const char* said = raw != nullptr ? sqlite3_errmsg(raw) : sqlite3_errstr(code);
    return tl::unexpected<Error>(failure(path, "open it", code, said));
  }
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, kBusyMs);
  return db;
}

Result<void> Db::execute(const char* sql, std::string_view doing_what) {
  if (sqlite3_exec(raw_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return failed(raw_.get(), path_, doing_what);
}

Result<Statement> Db::prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(raw_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return failed(raw_.get(), path_, doing(std::string(sql).c_str()));
  return Statement(statement, path_);
}

Result<std::int64_t> Db::integer(std::string_view sql) const {
  auto statement = prepare(sql);
  if (!statement) return tl::unexpected<Error>(statement.error());
  const auto row = statement->step();
  if (!row) return tl::unexpected<Error>(row.error());
  return *row ? statement->integer(0) : 0;
}

bool Db::disk_is_full() const { return (code_of(raw_.get()) & 0xff) == SQLITE_FULL; }

bool Db::in_transaction() const { return sqlite3_get_autocommit(raw_.get()) == 0; }

Result<Transaction> Transaction::begin(Db& db) {
  return db.execute("BEGIN IMMEDIATE", "begin to write").map([&] { return Transaction(db); });
}
Transaction::~Transaction() {
  // SQLite may have rolled back by itself (a full disk); then there is nothing to do.
  if (db_ != nullptr && db_->in_transaction()) static_cast<void>(db_->execute("ROLLBACK", "roll back"));
}
Result<void> Transaction::commit() {
  auto done = db_->execute("COMMIT", "commit");
  if (done) db_ = nullptr;
  return done;
}

}  // namespace aliquot
