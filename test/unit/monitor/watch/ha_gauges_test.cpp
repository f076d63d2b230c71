#include "monitor/ha_gauges.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(HaGauges, OfAStandbySayHowItFollows) {
  const std::string text =
      text_of({.is_standby = true, .leader_known = true, .epoch = 7, .batches_behind = 3});
  EXPECT_TRUE(has_line(text, "aliquot_ha_standby 1"));
  EXPECT_TRUE(has_line(text, "aliquot_ha_leader_known 1"));
  EXPECT_TRUE(has_line(text, "aliquot_ha_following 0"));
  EXPECT_TRUE(has_line(text, "aliquot_ha_epoch 7"));
  EXPECT_TRUE(has_line(text, "aliquot_ha_batches_behind 3"));
  EXPECT_TRUE(has_line(text, "aliquot_ha_standby_hot 0"));
  EXPECT_TRUE(has_line(text_of({.is_standby = true, .is_hot = true}), "aliquot_ha_standby_hot 1"));
  EXPECT_EQ(text.find("lease"), std::string::npos);
  EXPECT_EQ(text.find("etcd"), std::string::npos);
}

TEST(HaGauges, OfTheLeaderSayItsLeaseAndTheMembersOfEtcd) {
  const std::string text = text_of(
      {.leader_known = true,
       .follows = true,
       .lease = HaGauges::Lease{3, 2.5},
       .etcd = {{"http://etcd1.example.org:2379", 4096, 1024}, {"http://etcd2.example.org\"\\", {}}}});
  EXPECT_TRUE(has_line(text, "aliquot_ha_standby 0"));
  EXPECT_EQ(text.find("aliquot_ha_standby_hot"), std::string::npos) << "it leads";
  EXPECT_TRUE(has_line(text, "aliquot_ha_lease_seconds 3"));
  EXPECT_TRUE(has_line(text, "aliquot_ha_lease_left_seconds 2.5"));
  EXPECT_TRUE(has_line(text, "aliquot_ha_etcd_member_up{endpoint=\"http://etcd1.example.org:2379\"} 1"));
  EXPECT_TRUE(has_line(text, "aliquot_ha_etcd_db_bytes{endpoint=\"http://etcd1.example.org:2379\"} 4096"));
  EXPECT_TRUE(
      has_line(text, "aliquot_ha_etcd_db_in_use_bytes{endpoint=\"http://etcd1.example.org:2379\"} 1024"));
  EXPECT_TRUE(has_line(text, "aliquot_ha_etcd_member_up{endpoint=\"http://etcd2.example.org\\\"\\\\\"} 0"));
  EXPECT_EQ(text.find("aliquot_ha_etcd_db_bytes{endpoint=\"http://etcd2.example.org"), std::string::npos);
}

TEST(HaGauges, EachMetricIsDescribedOnce) {
  const std::string text =
      text_of({.is_standby = true, .lease = HaGauges::Lease{3, 2.5}, .etcd = {{"a", 1}, {"b", 2}}});
  for (const HaGaugeRow& row : ha_gauge_table()) {
    const std::string type = "# TYPE " + std::string(row.name) + " gauge\n";
    const std::size_t first = text.find(type);
    EXPECT_NE(first, std::string::npos) << row.name;
    EXPECT_EQ(text.find(type, first + 1), std::string::npos) << row.name;
  }
}

}  // namespace
}  // namespace aliquot
