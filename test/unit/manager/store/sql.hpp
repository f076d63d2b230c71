// For tests: changes to the file of a store by another program.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>

namespace aliquot::test {

inline void sql(const std::string& path, const char* text) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, text, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}

}  // namespace aliquot::test
