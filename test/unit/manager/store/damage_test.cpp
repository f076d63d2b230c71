// Files that are not, or no longer, what they should be: one clear Error each, naming file and way out,
// and nothing is changed.
#include <sys/file.h>

#include <fstream>
#include <sstream>

#include "manager/store/maintenance.hpp"
#include "manager/store/schema.hpp"
#include "manager/store/sqlite_db.hpp"
#include "test/unit/manager/store/fixture.hpp"

namespace aliquot::test {
namespace {

std::string make_store(const TemporaryDirectory& directory, std::uint64_t steps) {
  const std::string path = directory.file("s.db");
  const OpenStore open(path);
  open.append(1, steps);
  return path;
}

Error refused(const std::string& path) {
  SqliteStore store(path);
  const auto recovered = store.recover();
  EXPECT_FALSE(recovered);
  if (recovered) return {ErrorKind::internal, "accepted"};
  EXPECT_NE(recovered.error().message.find(path), std::string::npos) << recovered.error().message;
  return recovered.error();
}

void sql(const std::string& path, const std::string& text) {
  auto db = Db::open(path, Db::Access::create);
  ASSERT_TRUE(db);
  const auto done = db->execute(text.c_str(), "prepare the test");
  ASSERT_TRUE(done) << done.error().message;
}

bool says(const Error& error, const char* text) { return error.message.find(text) != std::string::npos; }

TEST(StoreDamage, GarbageIsNotAStore) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("s.db");
  const std::string garbage(10'000, 'x');
  std::ofstream(path) << garbage;
  const Error error = refused(path);
  EXPECT_EQ(error.kind, ErrorKind::refused);
  EXPECT_TRUE(says(error, "not an SQLite file")) << error.message;
  std::ostringstream now;
  now << std::ifstream(path).rdbuf();
  EXPECT_EQ(now.str(), garbage);
}

TEST(StoreDamage, ATruncatedFileIsDamaged) {
  const TemporaryDirectory directory;
  const std::string path = make_store(directory, 200);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const Error error = refused(path);
  EXPECT_EQ(error.kind, ErrorKind::refused);
  EXPECT_TRUE(says(error, "damaged")) << error.message;
}

TEST(StoreDamage, AnotherProgramsFileIsLeftAlone) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("s.db");
  sql(path, "CREATE TABLE recipes(x)");
  const Error error = refused(path);
  EXPECT_EQ(error.kind, ErrorKind::refused);
  EXPECT_TRUE(says(error, "some other program")) << error.message;
}

TEST(StoreDamage, ANewerSchemaIsUnsupportedAndUntouched) {
  const TemporaryDirectory directory;
  const std::string path = make_store(directory, 3);
  sql(path, "PRAGMA user_version = " + std::to_string(kSchemaVersion + 1));
  const Error error = refused(path);
  EXPECT_EQ(error.kind, ErrorKind::unsupported);
  EXPECT_TRUE(says(error, "newer Aliquot")) << error.message;
  sql(path, "PRAGMA user_version = " + std::to_string(kSchemaVersion));
  const OpenStore open(path);
  ASSERT_TRUE(open.recovered) << open.recovered.error().message;
  EXPECT_EQ(open.recovered->epoch, 2U);
}

TEST(StoreDamage, ATableWithoutAColumnIsDamaged) {
  const TemporaryDirectory directory;
  const std::string path = make_store(directory, 9);
  sql(path, "ALTER TABLE steps RENAME COLUMN number TO nxmber");
  const Error error = refused(path);
  EXPECT_EQ(error.kind, ErrorKind::refused) << error.message;
  EXPECT_TRUE(says(error, "damaged")) << error.message;
}

TEST(StoreDamage, AMissingStepIsNamed) {
  const TemporaryDirectory directory;
  const std::string path = make_store(directory, 9);
  sql(path, "DELETE FROM steps WHERE number = 5");
  const Error error = refused(path);
  EXPECT_EQ(error.kind, ErrorKind::refused);
  EXPECT_TRUE(says(error, "step 6 stands where step 5 should")) << error.message;
  const auto check = check_store(path);
  ASSERT_TRUE(check) << check.error().message;
  ASSERT_EQ(check->problems.size(), 1U);
  EXPECT_EQ(check->problems[0], "step 6 follows step 4: steps are missing or left over");
}

TEST(StoreDamage, AStepThatDoesNotDecodeIsNamed) {
  const TemporaryDirectory directory;
  const std::string path = make_store(directory, 9);
  sql(path, "UPDATE steps SET json = replace(json, '\"now\"', '\"then\"') WHERE number IN (4, 7)");
  EXPECT_TRUE(says(refused(path), "step 4: 'now' is missing"));
  const auto check = check_store(path);
  ASSERT_TRUE(check);
  EXPECT_EQ(check->problems.size(), 2U);
}

TEST(StoreDamage, ASecondManagerIsToldWhoHoldsTheStore) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("s.db");
  {
    const OpenStore open(path);
    const Error error = refused(path);
    EXPECT_EQ(error.kind, ErrorKind::conflict);
    EXPECT_TRUE(says(error, ("process " + std::to_string(getpid())).c_str())) << error.message;
  }
  const OpenStore after(path);
  EXPECT_TRUE(after.recovered);
}

TEST(StoreDamage, ALockOfAnotherProcessIsAConflict) {
  const TemporaryDirectory directory;
  const std::string path = make_store(directory, 3);
  auto other = Db::open(path, Db::Access::create);
  ASSERT_TRUE(other);
  ASSERT_TRUE(other->execute("BEGIN IMMEDIATE", "lock it"));
  const Error error = refused(path);
  EXPECT_EQ(error.kind, ErrorKind::conflict);
  EXPECT_TRUE(says(error, "another process holds its lock")) << error.message;
}

TEST(StoreDamage, ADirectoryInItsPlaceIsAnError) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.file("s.db"));
  EXPECT_EQ(refused(directory.file("s.db")).kind, ErrorKind::unavailable);
}

}  // namespace
}  // namespace aliquot::test
