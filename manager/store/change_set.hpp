// The rows that a transaction changes, as bytes, and the same changes made in another copy of the database:
// SQLite's session extension, its patchsets. A patchset has the new
// values of a row and of a removed row only its primary key; it knows tables by name and columns by place.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "manager/store/sqlite_db.hpp"
#include "policies/model/error.hpp"

struct sqlite3_session;

namespace aliquot {

// Records the changes of all tables from begin() on, until it is destroyed; the Db outlives it.
class ChangeRecorder {
 public:
  [[nodiscard]] static Result<ChangeRecorder> begin(Db& db);
  [[nodiscard]] Result<std::string> take();

 private:
  struct End {
    void operator()(sqlite3_session* session) const;
  };
  ChangeRecorder(sqlite3_session* session, std::string path) : session_(session), path_(std::move(path)) {}
  std::unique_ptr<sqlite3_session, End> session_;
  std::string path_;
};

// In the transaction of the Db. A row that is to be removed or changed and is not there is left out: copies
// do not all have the same history. Errors: the bytes are no patchset, or do not fit this database.
[[nodiscard]] Result<void> apply_changes(Db& db, std::string_view changes);

}  // namespace aliquot
