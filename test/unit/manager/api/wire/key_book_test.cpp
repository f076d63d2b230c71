// The keys of remote clients: their files, and which clients they let in.
#include "manager/api/wire/key_book.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "monitor/sha256.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;

class Book : public testing::Test {
 protected:
  ~Book() override { fs::remove_all(directory_); }
  [[nodiscard]] KeyBook opened() const { return KeyBook::open(keys_).value(); }
  [[nodiscard]] ClientKey key(KeyRole role = KeyRole::user) const {
    return {"nobody", role, public_key_, 1000};
  }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(keys_);
    std::ofstream(keys_ + "/" + name) << text;
  }

  std::string directory_ = (fs::temp_directory_path() / "aliquot-keys-XXXXXX").string();
  const std::string keys_ = std::string(mkdtemp(directory_.data())) + "/state/keys";
  const CurveKey public_key_ = make_keys()->public_key;
};

TEST_F(Book, KeepsKeysInFilesOfTheManagerAlone) {
  KeyBook book = opened();
  EXPECT_TRUE(book.keys().empty());
  ClientKey expiring = key(KeyRole::viewer);
  expiring.expires_unix_s = 2000;
  ASSERT_TRUE(book.add("laptop", expiring));
  struct stat about {};
  ASSERT_EQ(stat((keys_ + "/laptop.key").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600U);
  ASSERT_EQ(stat(keys_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700U);
  EXPECT_EQ(opened().keys(), (std::map<std::string, ClientKey>{{"laptop", expiring}}));
  const auto server = book.server_keys();
  ASSERT_TRUE(server);
  EXPECT_EQ(opened().server_keys()->secret_key, server->secret_key) << "made once";
}

TEST_F(Book, LetsInWhoHasAKeyUntilItExpiresOrIsRevoked) {
  KeyBook book = opened();
  ClientKey expiring = key(KeyRole::operating);
  expiring.expires_unix_s = 2000;
  ASSERT_TRUE(book.add("laptop", expiring));
  const auto who = book.admit(public_key_, 1999);
  ASSERT_TRUE(who) << who.error().message;
  EXPECT_EQ(who->uid, 65534U);
  EXPECT_EQ(who->role, KeyRole::operating);
  EXPECT_EQ(who->key, "laptop");
  EXPECT_TRUE(book.is_in_force("laptop", 1999));
  EXPECT_FALSE(book.admit(public_key_, 2000));
  EXPECT_FALSE(book.is_in_force("laptop", 2000));
  EXPECT_FALSE(book.admit(make_keys()->public_key, 1000));
  ASSERT_TRUE(book.revoke("laptop"));
  EXPECT_FALSE(book.admit(public_key_, 1000));
  EXPECT_FALSE(fs::exists(keys_ + "/laptop.key"));
  EXPECT_EQ(book.revoke("laptop").error().kind, ErrorKind::not_found);
}

TEST_F(Book, RefusesWhatIsNoKey) {
  KeyBook book = opened();
  for (const char* name : {"", "../etc", "a/b", ".hidden", "a b"})
    EXPECT_FALSE(book.add(name, key())) << name;
  ClientKey strange = key();
  strange.user = "no-such-user-here";
  EXPECT_EQ(book.add("laptop", strange).error().kind, ErrorKind::invalid_argument);
  ASSERT_TRUE(book.add("laptop", key()));
  EXPECT_EQ(book.add("laptop", {"nobody", KeyRole::user, make_keys()->public_key, 1}).error().kind,
            ErrorKind::conflict);
  EXPECT_EQ(book.add("again", key()).error().kind, ErrorKind::conflict);
}

TEST_F(Book, NamesTheFileThatItDoesNotUnderstand) {
  const std::string good = "user nobody\nrole user\npublic " + to_text(public_key_) + "\ncreated 1\n";
  for (const std::string& text : std::initializer_list<std::string>{
           std::string(), std::string("user nobody\n"), good + "colour red\n", good + "expires soon\n",
           "user nobody\nrole king\npublic " + to_text(public_key_) + "\n", "user nobody\npublic 00\n"}) {
    write("bad.key", text);
    const auto book = KeyBook::open(keys_);
    ASSERT_FALSE(book) << text;
    EXPECT_NE(book.error().message.find("bad.key"), std::string::npos) << book.error().message;
  }
  write("bad.key", good);
  EXPECT_TRUE(KeyBook::open(keys_));
  chmod(keys_.c_str(), 0777);
  EXPECT_EQ(KeyBook::open(keys_).error().kind, ErrorKind::refused) << "anybody could make keys";
}

TEST_F(Book, SaysWhatAReloadHasChanged) {
  KeyBook book = opened();
  ASSERT_TRUE(book.add("laptop", key()));
  ASSERT_TRUE(book.add("phone", {"nobody", KeyRole::user, make_keys()->public_key, 1}));
  EXPECT_EQ(book.reload(), std::set<std::string>{});
  write("laptop.key", "user nobody\nrole viewer\npublic " + to_text(public_key_) + "\ncreated 1000\n");
  EXPECT_EQ(book.reload(), std::set<std::string>{"laptop"});
  fs::remove(keys_ + "/phone.key");
  EXPECT_EQ(book.reload(), std::set<std::string>{"phone"});
  write("bad.key", "x");
  EXPECT_FALSE(book.reload());
  EXPECT_TRUE(book.is_in_force("laptop", 1)) << "all stay";
}

TEST_F(Book, AKeyOfAUserThatIsGoneLetsNobodyIn) {
  write("old.key", "user no-such-user-here\nrole user\npublic " + to_text(public_key_) + "\ncreated 1\n");
  const KeyBook book = opened();
  EXPECT_EQ(book.keys().size(), 1U);
  EXPECT_FALSE(book.admit(public_key_, 10));
}

TEST_F(Book, LetsInATokenOfWhichItKeepsTheHash) {
  KeyBook book = opened();
  ClientKey token{"nobody", KeyRole::operating, {}, 1000, 2000, sha256_hex("alq_secret")};
  ASSERT_TRUE(book.add("console", token));
  EXPECT_EQ(book.add("again", token).error().kind, ErrorKind::conflict);
  std::ifstream file(keys_ + "/console.key");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(text.find("alq_secret"), std::string::npos);
  for (const KeyBook& each : {book, opened()}) {
    const auto who = each.admit_token("alq_secret", 1999);
    ASSERT_TRUE(who) << who.error().message;
    EXPECT_EQ(who->key, "console");
    EXPECT_EQ(who->role, KeyRole::operating);
    EXPECT_EQ(who->uid, 65534U);
    EXPECT_NE(each.admit_token("alq_secret", 2000).error().message.find("expired"), std::string::npos);
    EXPECT_FALSE(each.admit_token("", 1000));
    EXPECT_FALSE(each.admit_token(token.token_sha256, 1000)) << "its hash is no token";
    EXPECT_FALSE(each.admit(CurveKey{}, 1000)) << "it is no key of a socket";
  }
  ASSERT_TRUE(book.revoke("console"));
  EXPECT_EQ(book.admit_token("alq_secret", 1000).error().kind, ErrorKind::forbidden);
  EXPECT_FALSE(opened().admit_token("alq_secret", 1000));
}

TEST_F(Book, TokensThatHaveExpiredGoWhenOneIsAdded) {
  KeyBook book = opened();
  ASSERT_TRUE(book.add("old", {"nobody", KeyRole::user, {}, 1000, 2000, sha256_hex("a")}));
  ASSERT_TRUE(book.add("key", {"nobody", KeyRole::user, public_key_, 1000, 2000}));
  ASSERT_TRUE(book.add("new", {"nobody", KeyRole::user, {}, 3000, 4000, sha256_hex("b")}));
  EXPECT_FALSE(book.keys().contains("old"));
  EXPECT_FALSE(fs::exists(keys_ + "/old.key"));
  EXPECT_TRUE(book.keys().contains("key")) << "a key of a socket stays";
}

TEST_F(Book, AFileHasAKeyOrAToken) {
  const std::string head = "user nobody\nrole user\ncreated 1\nexpires 9\n";
  write("a.key", head + "token " + std::string(64, 'a') + "\npublic " + to_text(public_key_) + "\n");
  EXPECT_FALSE(KeyBook::open(keys_));
  write("a.key", head + "token abc\n");
  EXPECT_FALSE(KeyBook::open(keys_));
  write("a.key", head + "token " + std::string(64, 'a') + "\n");
  EXPECT_TRUE(KeyBook::open(keys_));
  write("b.key", head + "token " + std::string(64, 'a') + "\n");
  EXPECT_NE(KeyBook::open(keys_).error().message.find("same key"), std::string::npos);
}

TEST_F(Book, BecomesWhatTheTextOfAnotherSays) {
  KeyBook book = opened();
  ClientKey expiring = key(KeyRole::operating);
  expiring.expires_unix_s = 2000;
  ASSERT_TRUE(book.add("laptop", expiring));
  ASSERT_TRUE(book.add("console", {"nobody", KeyRole::user, {}, 1000, 2000, sha256_hex("a")}));
  const std::string all = book.text();
  ASSERT_TRUE(book.revoke("laptop"));
  ASSERT_TRUE(book.add("phone", {"nobody", KeyRole::user, make_keys()->public_key, 1}));
  write("by-hand.key", "user nobody\nrole viewer\npublic " + std::string(64, 'b') + "\ncreated 1000\n");
  EXPECT_EQ(book.become(all), std::set<std::string>{"phone"}) << "which is not what it was";
  EXPECT_EQ(book.text(), all);
  EXPECT_EQ(opened().keys(), book.keys()) << "the files are the same";
  EXPECT_TRUE(book.admit(public_key_, 1999));
  struct stat about {};
  ASSERT_EQ(stat((keys_ + "/laptop.key").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600U);
  EXPECT_EQ(book.become(KeyBook::open(directory_ + "/none")->text()),
            (std::set<std::string>{"console", "laptop"}));
  EXPECT_TRUE(opened().keys().empty());
}

TEST_F(Book, StaysAsItIsIfTheTextIsNotUnderstood) {
  KeyBook book = opened();
  ASSERT_TRUE(book.add("laptop", key()));
  const std::string its = "user nobody\nrole user\npublic " + std::string(64, 'b') + "\ncreated 1\n";
  EXPECT_EQ(book.become("keys 2\n").error().kind, ErrorKind::unsupported);
  const std::vector<std::string> wrong_texts{"", "keys 1\n" + its, "keys 1\nkey ../laptop\n" + its,
                                             "keys 1\nkey a\nuser nobody\n"};
  for (const std::string& wrong : wrong_texts) EXPECT_FALSE(book.become(wrong)) << wrong;
  EXPECT_EQ(opened().keys(), (std::map<std::string, ClientKey>{{"laptop", key()}}));
}

TEST_F(Book, TellsTheTextAfterEachChange) {
  KeyBook book = opened();
  std::vector<std::string> told;
  Result<void> answer;
  book.on_change([&](std::string text) {
    told.push_back(std::move(text));
    return answer;
  });
  ASSERT_TRUE(book.add("laptop", key()));
  EXPECT_EQ(told, std::vector{book.text()});
  ASSERT_TRUE(book.revoke("laptop"));
  EXPECT_EQ(told.size(), 2U);
  ASSERT_TRUE(book.reload());
  EXPECT_EQ(told.size(), 2U) << "nothing has changed";
  write("laptop.key", "user nobody\nrole viewer\npublic " + to_text(public_key_) + "\ncreated 1000\n");
  ASSERT_TRUE(book.reload());
  EXPECT_EQ(told.size(), 3U);
  EXPECT_EQ(told.back(), book.text());
  answer = fail(ErrorKind::unavailable, "not stored");
  EXPECT_EQ(book.revoke("laptop").error().message, "not stored");
}

}  // namespace
}  // namespace aliquot
