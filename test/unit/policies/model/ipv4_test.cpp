#include "policies/model/ipv4.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

TEST(Ipv4, NetworksArePrintedAsTheyAreRead) {
  for (const char* text : {"10.211.0.0/16", "192.168.4.0/22", "10.0.0.0/8", "10.1.2.4/30"}) {
    const auto network = parse_ipv4_network(text);
    ASSERT_TRUE(network) << text;
    EXPECT_EQ(print_ipv4(*network), text);
  }
}

TEST(Ipv4, HostsAreAllAddressesButTheFirstAndTheLast) {
  EXPECT_EQ(hosts_of(parse_ipv4_network("10.211.0.0/16").value()), 65'534U);
  EXPECT_EQ(hosts_of(parse_ipv4_network("10.1.2.4/30").value()), 2U);
}

TEST(Ipv4, WhatIsNoNetworkIsNamed) {
  for (const char* text :
       {"", "10.0.0.0", "10.0.0.0/", "10.0.0.0/7", "10.0.0.0/31", "10.0.0.1/24", "10.0.0/24", "10.0.0.0/8x",
        "10.0.0.0/-8", "10.0.0.256/8", "::/16", "10.0.0.0/ 8"}) {
    const auto network = parse_ipv4_network(text);
    ASSERT_FALSE(network) << text;
    EXPECT_NE(network.error().message.find("10.211.0.0/16"), std::string::npos) << network.error().message;
  }
  EXPECT_FALSE(parse_ipv4("10.0.0.1 "));
  EXPECT_FALSE(parse_ipv4(std::string("10.0.0.1\0x", 10)));
}

}  // namespace
}  // namespace aliquot
