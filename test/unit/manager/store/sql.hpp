// For tests: changes to the file of a store by another program.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>

namespace aliquot::test {

inline void sql(const std::string& path, const std::string& text) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, text.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}

// Takes back what schemas 8 to 11 have added to a file of an earlier one.
inline constexpr char kWithoutMembers[] =
    "DROP INDEX ended_of_no_array; DROP INDEX ended_of_array; DROP INDEX ended_members; "
    "ALTER TABLE ended DROP COLUMN array; ALTER TABLE ended DROP COLUMN array_index; DROP TABLE hours; "
    "DROP TABLE replica; DROP TABLE job_hours; ";

}  // namespace aliquot::test
