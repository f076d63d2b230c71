#include "manager/hypervisor/agent/keys.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace aliquot::agent {
namespace {

class Keys : public testing::Test {
 protected:
  Keys() { std::filesystem::remove(path_); }
  ~Keys() override { std::filesystem::remove(path_); }
  const std::string path_ = testing::TempDir() + "aliquot-" + std::to_string(::getpid()) + ".keys";
};

TEST_F(Keys, come_back_from_their_file) {
  const KeyPair keys = make_keys().value();
  ASSERT_TRUE(write_keys(path_, keys));
  const auto read = read_keys(path_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->public_key, keys.public_key);
  EXPECT_EQ(read->secret_key, keys.secret_key);
  EXPECT_NE(keys.public_key, make_keys()->public_key);
}

TEST_F(Keys, are_readable_by_their_user_only) {
  ASSERT_TRUE(write_keys(path_, make_keys().value()));
  struct stat about {};
  ASSERT_EQ(::stat(path_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600U);
  ::chmod(path_.c_str(), 0640);
  const auto read = read_keys(path_);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::refused);
  EXPECT_NE(read.error().message.find("chmod 600"), std::string::npos);
}

TEST_F(Keys, in_use_are_not_replaced) {
  ASSERT_TRUE(write_keys(path_, make_keys().value()));
  const auto again = write_keys(path_, make_keys().value());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::conflict);
}

TEST_F(Keys, of_a_file_that_is_none_are_refused) {
  EXPECT_EQ(read_keys(path_).error().kind, ErrorKind::not_found);
  for (const char* text : {"", "public 00\nsecret 00\n", "nonsense\n"}) {
    std::ofstream(path_) << text;
    ::chmod(path_.c_str(), 0600);
    EXPECT_EQ(read_keys(path_).error().kind, ErrorKind::invalid_argument) << text;
  }
}

TEST(Key, is_64_hexadecimal_digits) {
  const Key key = make_keys()->public_key;
  EXPECT_EQ(parse_key(to_text(key)).value(), key);
  EXPECT_EQ(to_text(key).size(), 64U);
  for (const std::string& text :
       {std::string(), std::string(63, '0'), std::string(65, '0'), std::string(64, 'g'),
        std::string(62, '0') + "+1", std::string(62, '0') + " 1"})
    EXPECT_FALSE(parse_key(text)) << text;
}

}  // namespace
}  // namespace aliquot::agent
