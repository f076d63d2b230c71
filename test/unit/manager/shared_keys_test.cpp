// Several managers have the keys of remote clients in the store that they share: here one store after the
// other is opened, with files of keys of its own.
#include "manager/shared_keys.hpp"

#include <gtest/gtest.h>

#include "manager/store/recovery.hpp"
#include "manager/store/sqlite_store.hpp"
#include "test/support/temporary_directory.hpp"

namespace aliquot {
namespace {

class OpenedKeys {
 public:
  OpenedKeys(const test::TemporaryDirectory& directory, const std::string& name, bool is_replicated)
      : keys_(KeyBook::open(directory.file(name)).value()),
        store_(directory.file("store"), {}, {}, is_replicated ? &replication_ : nullptr) {
    const auto recovered = store_.recover();
    if (!recovered) throw std::runtime_error(recovered.error().message);
    const auto shared = share_keys(keys_, store_, *recovered, is_replicated);
    if (!shared) throw std::runtime_error(shared.error().message);
    store_.start([](std::uint64_t) {}, [](const Error&) {});
  }
  [[nodiscard]] KeyBook& keys() { return keys_; }
  void refuse() { refuses_ = true; }

 private:
  bool refuses_ = false;
  const Replication replication_{[this](const ChangeBatch&) -> Result<void> {
                                   if (!refuses_) return {};
                                   return fail(ErrorKind::not_leader, "its epoch is over");
                                 },
                                 [] { return true; }, 1};
  KeyBook keys_;
  SqliteStore store_;
};

ClientKey some_key() { return {"nobody", KeyRole::user, make_keys()->public_key, 1000}; }

TEST(SharedKeys, TheNextLeaderHasThoseOfTheOneBefore) {
  const test::TemporaryDirectory directory;
  ASSERT_TRUE(KeyBook::open(directory.file("b"))->add("stale", some_key()));
  std::map<std::string, ClientKey> known;
  {
    OpenedKeys a(directory, "a", true);
    ASSERT_TRUE(a.keys().add("laptop", some_key()));
    ASSERT_TRUE(a.keys().add("phone", some_key()));
    ASSERT_TRUE(a.keys().revoke("phone"));
    known = a.keys().keys();
  }
  {
    OpenedKeys b(directory, "b", true);
    EXPECT_EQ(b.keys().keys(), known);
    ASSERT_TRUE(b.keys().revoke("laptop"));
  }
  OpenedKeys a(directory, "a", true);
  EXPECT_TRUE(a.keys().keys().empty()) << "a revoked key is revoked everywhere";
}

TEST(SharedKeys, TheFirstLeaderHasThoseOfItsFilesAndNoOtherHasMore) {
  const test::TemporaryDirectory directory;
  ASSERT_TRUE(KeyBook::open(directory.file("b"))->add("stale", some_key()));
  { const OpenedKeys a(directory, "a", true); }
  OpenedKeys b(directory, "b", true);
  EXPECT_TRUE(b.keys().keys().empty());
}

TEST(SharedKeys, AManagerAloneGoesByItsFiles) {
  const test::TemporaryDirectory directory;
  { ASSERT_TRUE(OpenedKeys(directory, "a", true).keys().add("laptop", some_key())); }
  ASSERT_TRUE(KeyBook::open(directory.file("a"))->revoke("laptop"));
  ASSERT_TRUE(KeyBook::open(directory.file("a"))->add("phone", some_key()));
  std::map<std::string, ClientKey> known;
  {
    OpenedKeys alone(directory, "a", false);
    EXPECT_FALSE(alone.keys().keys().contains("laptop")) << "it was taken away by hand";
    ASSERT_TRUE(alone.keys().add("tablet", some_key()));
    known = alone.keys().keys();
  }
  OpenedKeys b(directory, "b", true);
  EXPECT_EQ(b.keys().keys(), known) << "later there are several";
}

TEST(SharedKeys, AChangeThatIsNotStoredIsNotAcknowledged) {
  const test::TemporaryDirectory directory;
  OpenedKeys a(directory, "a", true);
  a.refuse();
  EXPECT_EQ(a.keys().add("laptop", some_key()).error().kind, ErrorKind::unavailable);
}

TEST(SharedKeys, AStoreInUseSaysWhatWasKept) {
  const test::TemporaryDirectory directory;
  OpenedKeys a(directory, "a", true);
  ASSERT_TRUE(a.keys().add("laptop", some_key()));
  EXPECT_EQ(read_learned(directory.file("store"), "client_keys"), a.keys().text());
  EXPECT_EQ(read_learned(directory.file("store"), "something else"), std::string());
}

}  // namespace
}  // namespace aliquot
