// The tables of the store, and the migration of files of older versions.
//
// SQLite's user_version holds the schema version, application_id marks the file as a store. Entry i of the
// migration table converts version i into version i + 1; version 0 is an empty file. All migrations run in
// one transaction, so a file has either the old version or the new one.
#pragma once

#include <cstdint>

#include "manager/store/sqlite_db.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

inline constexpr std::int64_t kSchemaVersion = 11;
inline constexpr std::int64_t kApplicationId = 0x416c7174;  // "Alqt"

// Creates the tables or migrates them to this version. A file that is not a store (refused) or has a newer
// version (unsupported) is left unchanged.
[[nodiscard]] Result<void> bring_up_to_date(Db& db);

// For read-only users: the file must be a store of exactly this version.
[[nodiscard]] Result<void> require_schema(const Db& db);

// The newest step that the file has, in its snapshot or after it.
inline constexpr const char* kLastStep =
    "SELECT max(ifnull((SELECT max(number) FROM steps), 0), ifnull((SELECT max(steps) FROM snapshots), 0))";

}  // namespace aliquot
