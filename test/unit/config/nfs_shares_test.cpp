#include "config/nfs_shares.hpp"

#include <gtest/gtest.h>

#include "test/unit/config/support.hpp"

namespace aliquot {
namespace {

using test::faults_of;
using test::kNode;
using test::read;

TEST(NfsShares, HaveANameAServerADirectoryAndAPath) {
  const auto loaded =
      read(kNode +
           "shares: ['home=nfs1.example.org:/export/home:/home', 'data=10.0.0.7:/:/site/d:ro', "
           "'six=fd00::7:/x:/x']\n");
  ASSERT_TRUE(loaded) << faults_of(loaded);
  EXPECT_EQ(loaded->settings.shares,
            (std::vector<NfsShare>{{"home", "nfs1.example.org", "/export/home", "/home", false},
                                   {"data", "10.0.0.7", "/", "/site/d", true},
                                   {"six", "fd00::7", "/x", "/x", false}}));
  EXPECT_EQ(nfs_share().print(loaded->settings.shares[1]), "data=10.0.0.7:/:/site/d:ro");
}

TEST(NfsShares, AreRefusedWhereAGuestCouldNotHaveThem) {
  for (const char* wrong : {"home",
                            "home=nfs1",
                            "home=nfs1:/export",
                            "=nfs1:/export:/home",
                            "home=:/export:/home",
                            "home=nfs1:export:/home",
                            "home=nfs1:/export:home",
                            "home=nfs1:/export:/",
                            "home=nfs1:/export:/proc",
                            "home=nfs1:/export:/etc/x",
                            "home=nfs1:/export:/usr",
                            "home=nfs1:/export:/aliquot",
                            "home=nfs1:/export:/a/../etc",
                            "home=nfs1:/export/..:/home",
                            "home=nfs1:/export:/a/./b",
                            "home=nfs1:/export:/a//b",
                            "home=nfs1:/export:/home/",
                            "home=nfs1:/export:/a b",
                            "home=nfs1:/export,rw:/home",
                            "home=nfs1:/ex$(x):/home",
                            "home=nfs1:/e:/home:rw",
                            "a b=nfs1:/e:/home",
                            "home=nfs 1:/e:/home"})
    EXPECT_FALSE(nfs_share().parse(wrong)) << wrong;
  const auto said = nfs_share().parse("home=nfs1:/export:/etc");
  EXPECT_NE(said.error().message.find("\"/etc\" is the guest's own directory"), std::string::npos)
      << said.error().message;
  EXPECT_TRUE(nfs_share().parse("home=nfs1:/etc:/etcetera")) << "on the server it may be anything";
}

TEST(NfsShares, DoNotHaveTheSameNameOrPath) {
  EXPECT_NE(faults_of(read(kNode + "shares: ['a=s:/x:/x', 'a=s:/y:/y']\n")).find("two shares are called a"),
            std::string::npos);
  EXPECT_NE(faults_of(read(kNode + "shares: ['a=s:/x:/x', 'b=s:/y:/x']\n")).find("two shares stand at /x"),
            std::string::npos);
  std::string many;
  for (std::size_t i = 0; i <= kMostShares; ++i)
    many += "'s" + std::to_string(i) + "=s:/x:/x" + std::to_string(i) + "', ";
  EXPECT_NE(faults_of(read(kNode + "shares: [" + many + "]\n")).find("at most 16"), std::string::npos);
}

}  // namespace
}  // namespace aliquot
