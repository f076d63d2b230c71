// The session extension is declared only where these are defined; Debian's library has it.
#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include "manager/store/change_set.hpp"

#include <sqlite3.h>

namespace aliquot {
namespace {

tl::unexpected<Error> failed(const std::string& path, const std::string& doing, int code) {
  return fail(code == SQLITE_NOMEM ? ErrorKind::unavailable : ErrorKind::refused,
              "store " + path + ": cannot " + doing + " (SQLite " + std::to_string(code) + ": " +
                  sqlite3_errstr(code) + "): set it aside, the manager then fetches a copy from etcd");
}

int resolve(void*, int conflict, sqlite3_changeset_iter*) {
  switch (conflict) {
    case SQLITE_CHANGESET_NOTFOUND:
      return SQLITE_CHANGESET_OMIT;
    case SQLITE_CHANGESET_CONFLICT:  // a row with this primary key
    case SQLITE_CHANGESET_DATA:
      return SQLITE_CHANGESET_REPLACE;
    default:
      return SQLITE_CHANGESET_ABORT;
  }
}

}  // namespace

void ChangeRecorder::End::operator()(sqlite3_session* session) const { sqlite3session_delete(session); }

Result<ChangeRecorder> ChangeRecorder::begin(Db& db) {
  sqlite3_session* session = nullptr;
  int code = sqlite3session_create(db.handle(), "main", &session);
  ChangeRecorder recorder(session, db.path());
  if (code == SQLITE_OK) code = sqlite3session_attach(session, nullptr);
  if (code != SQLITE_OK) return failed(db.path(), "record its changes", code);
  return recorder;
}

Result<std::string> ChangeRecorder::take() {
  int size = 0;
  void* bytes = nullptr;
  const int code = sqlite3session_patchset(session_.get(), &size, &bytes);
  const std::unique_ptr<void, void (*)(void*)> owned(bytes, sqlite3_free);
  if (code != SQLITE_OK) return failed(path_, "collect its changes", code);
  return std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

Result<void> apply_changes(Db& db, std::string_view changes) {
  // SQLite only reads it.
  auto* bytes = const_cast<char*>(changes.data());
  const int code = sqlite3changeset_apply(db.handle(), static_cast<int>(changes.size()), bytes, nullptr,
                                          resolve, nullptr);
  if (code != SQLITE_OK) return failed(db.path(), "take the changes of the leader", code);
  return {};
}

}  // namespace aliquot
