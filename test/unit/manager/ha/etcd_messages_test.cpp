// What is said to etcd and read from it, as text: as etcd's gateway writes it, and as it might not.
#include "manager/ha/etcd_messages.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace aliquot::ha {
namespace {

TEST(Base64, GivesBackEveryLengthAndByte) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(decode_base64(encode_base64(bytes)), bytes);
    bytes.push_back(static_cast<char>(i));
  }
  EXPECT_EQ(encode_base64("Man"), "TWFu");
  EXPECT_EQ(encode_base64("Ma"), "TWE=");
  EXPECT_EQ(encode_base64("M"), "TQ==");
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char* text : {"TWF", "TW!u", "T===", "=TWF", "TQ=a"})
    EXPECT_FALSE(decode_base64(text)) << text;
}

TEST(EtcdMessages, ATransactionAsTheGatewayReadsIt) {
  const auto json = nlohmann::json::parse(encode_transaction(
      {{{"k", 12}}, {Put{"a", "b", 7}, Erase{"c", "d"}}, {Get{.key = "e", .limit = 3}}}));
  EXPECT_EQ(json["compare"][0]["target"], "CREATE");
  EXPECT_EQ(json["compare"][0]["create_revision"], "12");
  EXPECT_EQ(json["success"][0]["requestPut"]["lease"], "7");
  EXPECT_EQ(json["success"][1]["requestDeleteRange"]["range_end"], encode_base64("d"));
  EXPECT_EQ(json["failure"][0]["requestRange"]["limit"], "3");
}

TEST(EtcdMessages, AnAnswerWithWhatIsLeftOut) {
  const auto answer = decode_transaction(
      R"({"header":{"revision":"41"},"succeeded":true,"responses":[{"response_put":{}},)"
      R"({"response_range":{"kvs":[{"key":"YQ==","create_revision":"5","mod_revision":"6"}],"count":"1"}},)"
      R"({"response_range":{}}]})");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(answer->succeeded);
  EXPECT_EQ(answer->revision, 41);
  ASSERT_EQ(answer->found.size(), 2U);
  EXPECT_EQ(answer->found[0].at(0).key, "a");
  EXPECT_EQ(answer->found[0].at(0).value, "");
  EXPECT_EQ(answer->found[0].at(0).created, 5);
  EXPECT_TRUE(answer->found[1].empty());
  EXPECT_FALSE(decode_transaction(R"({"header":{"revision":"1"}})")->succeeded);
}

TEST(EtcdMessages, WhatIsNotUnderstoodIsAnError) {
  for (const char* text :
       {"", "[]", "{}", R"({"header":{"revision":"x"}})", R"({"header":{"revision":"1"},"responses":{}})",
        R"({"header":{"revision":"1"},"responses":[{"response_range":{"kvs":[{"key":"?"}]}}]})"})
    EXPECT_FALSE(decode_transaction(text)) << text;
  EXPECT_FALSE(decode_lease_grant("{}"));
  EXPECT_FALSE(decode_status("{}"));
}

TEST(EtcdMessages, ALeaseThatIsOverHasNoTime) {
  EXPECT_EQ(decode_keep_alive(R"({"result":{"header":{},"ID":"9"}})")->ttl_s, 0);
  EXPECT_EQ(decode_keep_alive(R"({"result":{"header":{},"ID":"9","TTL":"3"}})")->ttl_s, 3);
}

TEST(EtcdMessages, ARefusalOfAnyVersion) {
  EXPECT_EQ(decode_refusal(R"({"error":"gone","code":14})").words, "gone");
  EXPECT_EQ(decode_refusal(R"({"code":14,"message":"gone","details":[]})").code, 14);
  EXPECT_EQ(decode_refusal("no JSON").words, "no JSON");
  EXPECT_EQ(decode_refusal("one line\nand another").words, "one line");
}

TEST(EtcdMessages, TheEndOfAPrefix) {
  EXPECT_EQ(end_of_prefix("a/"), "a0");
  EXPECT_EQ(end_of_prefix("a\xff"), "b");
}

TEST(EtcdMessages, AMemberSaysWhetherItLeadsAndWhetherAnyDoes) {
  // As etcd 3.4 says it; ids have 64 bits without a sign.
  const auto leads =
      decode_status(R"({"header":{"member_id":"13803658152347727308"},"version":"3.4.23","dbSize":"20480",)"
                    R"("dbSizeInUse":"16384","leader":"13803658152347727308"})");
  ASSERT_TRUE(leads);
  EXPECT_TRUE(leads->leads && leads->has_leader);
  EXPECT_EQ(leads->db_bytes, 20480);
  EXPECT_EQ(leads->db_bytes_free(), 4096);
  EXPECT_EQ(leads->id, "13803658152347727308");
  const auto follows = decode_status(R"({"header":{"member_id":"7"},"version":"3.4.23","leader":"8"})");
  EXPECT_TRUE(follows && follows->has_leader && !follows->leads);
  const auto alone = decode_status(R"({"header":{"member_id":"7"},"version":"3.4.23"})");
  EXPECT_TRUE(alone && !alone->has_leader && !alone->leads);
}

TEST(EtcdMessages, MembersAreCounted) {
  EXPECT_EQ(decode_members(R"({"header":{},"members":[{"ID":"7","name":"m0"},{"ID":"8"}]})"), 2U);
  EXPECT_FALSE(decode_members("{}"));
}

}  // namespace
}  // namespace aliquot::ha
