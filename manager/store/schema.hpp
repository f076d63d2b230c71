// The tables of the store, and how a file of an older version becomes one of this version.
//
// The version stands in SQLite's user_version, the mark that it is ours in application_id. Step i of the
// migration table makes version i + 1 of version i; version 0 is an empty file. Migrations run in one
// transaction: a file is of the old version or of the new one, never between.
#pragma once

#include <cstdint>

#include "manager/store/sqlite_db.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

inline constexpr std::int64_t kSchemaVersion = 3;
inline constexpr std::int64_t kApplicationId = 0x416c7174;  // "Alqt"

// Makes the tables, or brings them up to this version. Refuses a file that is not a store (refused) or is
// of a newer version (unsupported), and then changes nothing.
[[nodiscard]] Result<void> bring_up_to_date(Db& db);

// For readers, which change nothing: the file must be a store of exactly this version.
[[nodiscard]] Result<void> require_schema(const Db& db);

}  // namespace aliquot
