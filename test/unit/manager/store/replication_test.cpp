// A store that is shipped: another with all batches has the same rows, nothing is committed before it is
// shipped, and a copy takes the place of the batches that it has.
#include "manager/store/replication.hpp"

#include <sqlite3.h>

#include <algorithm>

#include "manager/store/replica.hpp"
#include "test/unit/manager/store/fixture.hpp"
#include "test/unit/manager/store/sql.hpp"

namespace aliquot::test {
namespace {

// All rows of all tables, as text.
std::string rows_of(const std::string& path) {
  sqlite3* db = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  std::string text;
  const auto each = [&](const std::string& query, auto take) {
    sqlite3_stmt* rows = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(db, query.c_str(), -1, &rows, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    while (sqlite3_step(rows) == SQLITE_ROW) take(rows);
    sqlite3_finalize(rows);
  };
  const auto column = [](sqlite3_stmt* row, int i) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(row, i));
    return bytes == nullptr ? std::string("NULL") : std::string(bytes);
  };
  std::vector<std::string> tables;
  each("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
       [&](auto* row) { tables.push_back(column(row, 0)); });
  std::vector<std::string> lines;
  for (const std::string& table : tables)
    each("SELECT * FROM " + table, [&](auto* row) {
      std::string line = table;
      for (int i = 0; i < sqlite3_column_count(row); ++i) line += "|" + column(row, i);
      lines.push_back(line + "\n");
    });
  std::ranges::sort(lines);
  for (const std::string& line : lines) text += line;
  sqlite3_close(db);
  return text;
}

// Keeps what is shipped, or refuses it.
struct Shipped {
  std::vector<ChangeBatch> batches;
  std::optional<Error> refuses;
  Replication replication{[this](const ChangeBatch& batch) -> Result<void> {
                            if (refuses) return tl::unexpected<Error>(*refuses);
                            batches.push_back(batch);
                            return {};
                          },
                          [] { return true; }, 7};
};

// Some of everything that a store keeps.
void fill(const OpenStore& open, std::uint64_t first, std::uint64_t last) {
  SqliteStore& store = *open.store;
  store.remember_answer({1000, "key" + std::to_string(first)}, {"hash", "{\"job\":1}"});
  open.append(first, last);
  JobUse use;
  use.granted = seconds(static_cast<std::int64_t>(last));
  store.keep_cpu({{{1}, use}},
                 {{5, {"lab", 1000}, {seconds(3), seconds(static_cast<std::int64_t>(last))}}});
  store.keep_accounts({{"lab", AccountUse{}}}, {{last}});
  store.keep_clock({1, {0}, static_cast<std::int64_t>(last), "boot", 5});
  store.keep_nodes("nodes " + std::to_string(last));
  store.keep_learned("arrivals", "text " + std::to_string(last));
  store.snapshot(state_after(last - 1));
  store.flush();
}

void follow(const std::string& path, const std::vector<ChangeBatch>& batches) {
  auto replica = Replica::open(path);
  ASSERT_TRUE(replica) << replica.error().message;
  for (const ChangeBatch& batch : batches) {
    if (batch.number <= replica->batch()) continue;
    const auto applied = replica->apply(batch);
    ASSERT_TRUE(applied) << applied.error().message;
  }
}

TEST(Replication, AStoreWithAllBatchesHasTheSameRows) {
  const TemporaryDirectory directory;
  Shipped shipped;
  {
    const OpenStore open(directory.file("leader.db"), {}, {}, &shipped.replication);
    ASSERT_TRUE(open.recovered) << open.recovered.error().message;
    fill(open, 1, 40);
    fill(open, 41, 90);
  }
  follow(directory.file("follower.db"), shipped.batches);
  EXPECT_EQ(rows_of(directory.file("follower.db")), rows_of(directory.file("leader.db")));
  EXPECT_NE(rows_of(directory.file("leader.db")).find("snapshots|89"), std::string::npos);
}

TEST(Replication, WhatIsPrunedHereIsPrunedThere) {
  const TemporaryDirectory directory;
  Shipped shipped;
  {
    const OpenStore open(directory.file("leader.db"), {.log_rows = 20, .ended_rows = 3}, {},
                         &shipped.replication);
    fill(open, 1, 60);
    fill(open, 61, 99);
  }
  follow(directory.file("follower.db"), shipped.batches);
  EXPECT_EQ(rows_of(directory.file("follower.db")), rows_of(directory.file("leader.db")));
}

TEST(Replication, TheFollowerGoesOnAsTheNextLeaderWithAHigherEpoch) {
  const TemporaryDirectory directory;
  Shipped shipped;
  {
    const OpenStore open(directory.file("a.db"), {}, {}, &shipped.replication);
    EXPECT_EQ(open.recovered->epoch, 7U);
    fill(open, 1, 5);
  }
  follow(directory.file("b.db"), shipped.batches);
  shipped.replication.epoch = 23;
  {
    const OpenStore open(directory.file("b.db"), {}, {}, &shipped.replication);
    ASSERT_TRUE(open.recovered) << open.recovered.error().message;
    EXPECT_EQ(open.recovered->epoch, 23U);
    EXPECT_EQ(open.recovered->last.raw, 5000);
    fill(open, 6, 9);
  }
  follow(directory.file("a.db"), shipped.batches);
  EXPECT_EQ(rows_of(directory.file("a.db")), rows_of(directory.file("b.db")));
  shipped.replication.epoch = 3;  // of an etcd that began anew
  const OpenStore open(directory.file("a.db"), {}, {}, &shipped.replication);
  EXPECT_EQ(open.recovered->epoch, 24U);
}

TEST(Replication, NothingIsCommittedThatWasNotShipped) {
  const TemporaryDirectory directory;
  Shipped shipped;
  OpenStore open(directory.file("s.db"), {}, {}, &shipped.replication);
  fill(open, 1, 5);
  shipped.refuses = Error{ErrorKind::not_leader, "another leads"};
  open.append(6, 8);
  open.store->flush();
  ASSERT_EQ(open.failed().size(), 1U);
  EXPECT_EQ(open.failed().front().kind, ErrorKind::not_leader);
  EXPECT_EQ(open.durable, 5U);
  EXPECT_EQ(rows_of(directory.file("s.db")).find("steps|6"), std::string::npos);
}

TEST(Replication, ABatchThatIsNotTheNextIsRefused) {
  const TemporaryDirectory directory;
  Shipped shipped;
  {
    const OpenStore open(directory.file("s.db"), {}, {}, &shipped.replication);
    fill(open, 1, 5);
  }
  auto replica = Replica::open(directory.file("f.db"));
  ASSERT_TRUE(replica);
  EXPECT_FALSE(replica->apply(shipped.batches.at(1)));
  ChangeBatch newer = shipped.batches.at(0);
  newer.schema += 1;
  EXPECT_EQ(replica->apply(newer).error().kind, ErrorKind::unsupported);
  EXPECT_TRUE(replica->apply(shipped.batches.at(0)));
  ChangeBatch other = shipped.batches.at(1);
  other.cluster = "other";
  EXPECT_EQ(replica->apply(other).error().kind, ErrorKind::refused);
  ChangeBatch broken = shipped.batches.at(1);
  broken.changes = "no patchset";
  EXPECT_FALSE(replica->apply(broken));
  EXPECT_TRUE(replica->apply(shipped.batches.at(1)));
  EXPECT_EQ(replica->batch(), 2U);
}

TEST(Replication, ACopyTakesThePlaceOfItsBatches) {
  const TemporaryDirectory directory;
  Shipped shipped;
  const OpenStore open(directory.file("s.db"), {}, {}, &shipped.replication);
  fill(open, 1, 30);
  const auto copy = copy_of_store(directory.file("s.db"));
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(copy->batch, shipped.batches.back().number);
  fill(open, 31, 60);
  {
    auto replica = Replica::open(directory.file("f.db"));
    ASSERT_TRUE(replica);
    const auto became = replica->become(*copy);
    ASSERT_TRUE(became) << became.error().message;
    EXPECT_EQ(replica->cluster(), open.recovered->cluster_id);
  }
  follow(directory.file("f.db"), shipped.batches);
  EXPECT_EQ(rows_of(directory.file("f.db")), rows_of(directory.file("s.db")));
}

TEST(Replication, AStoreThatIsOpenedAloneForgetsItsBatches) {
  const TemporaryDirectory directory;
  Shipped shipped;
  {
    const OpenStore open(directory.file("s.db"), {}, {}, &shipped.replication);
    fill(open, 1, 5);
  }
  { const OpenStore alone(directory.file("s.db")); }
  auto replica = Replica::open(directory.file("s.db"));
  ASSERT_TRUE(replica) << replica.error().message;
  EXPECT_EQ(replica->batch(), 0U);
  EXPECT_FALSE(replica->cluster().empty());
  ASSERT_TRUE(replica->begin());
  EXPECT_EQ(replica->batch(), 1U);
}

}  // namespace
}  // namespace aliquot::test
