// The names of the collective policies, both ways.
#include <gtest/gtest.h>

#include "policies/placement/grammar.hpp"
#include "policies/policy.hpp"

namespace aliquot {
namespace {

std::string canonical(const std::string& name) {
  const auto made = make_policy(name);
  return made ? (*made)->name() : "error: " + made.error().message;
}

Result<CollectiveSpec> read(const std::string& name) {
  const bool bids = name.starts_with("AUCSCHED");
  return grammar_of(bids ? CollectiveSpec::Kind::aucsched : CollectiveSpec::Kind::ipsched).read(name);
}

TEST(CollectiveNames, are_read_back_as_they_are_written) {
  for (const char* name : {"IPSCHED", "AUCSCHED", "BESTFIT", "IPSCHED/interval=5/window=50",
                           "IPSCHED/objective=pr/priority=multifactor/size=0", "AUCSCHED/MAXBIDS=30",
                           "IPSCHED/effort=50000/paper"}) {
    EXPECT_EQ(name, canonical(name));
  }
}

TEST(CollectiveNames, of_other_solvers_are_known_and_not_made_here) {
  for (const char* name : {"IPSCHED/solver=cbc", "AUCSCHED/effort=9000/solver=exact"}) {
    const auto spec = read(name);
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(to_string(*spec), name);
    const auto made = make_policy(name);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, ErrorKind::unsupported);
    EXPECT_NE(made.error().message.find("aliquot-sim-cbc"), std::string::npos);
  }
  EXPECT_EQ("IPSCHED", canonical("IPSCHED/solver=fast"));
  EXPECT_FALSE(make_policy("HYBRID(IPSCHED/solver=cbc,EASY)"));
  EXPECT_FALSE(read("IPSCHED/solver=gurobi"));
  EXPECT_FALSE(grammar_of(CollectiveSpec::Kind::backfill).read("BACKFILL/solver=cbc"));
}

TEST(CollectiveNames, leave_out_what_is_as_usual) {
  EXPECT_EQ("IPSCHED", canonical("IPSCHED/interval=3/window=200/objective=p/priority=basic"));
  EXPECT_EQ("AUCSCHED", canonical("AUCSCHED/MAXBIDS=10"));
  EXPECT_EQ("IPSCHED/window=10/paper", canonical("IPSCHED/paper/window=10"));
}

TEST(CollectiveNames, that_are_wrong_are_refused_with_what_is_known) {
  for (const char* name :
       {"IPSCHED/", "IPSCHED/window", "IPSCHED/window=0", "IPSCHED/window=10001", "IPSCHED/window=ten",
        "IPSCHED/objective=q", "IPSCHED/paper=1", "IPSCHED/paper/paper", "IPSCHED/size=3", "ipsched",
        "IPSHED", "BESTFIT/window=3", "IPSCHED/MAXBIDS=3", "IPSCHED/effort=1", "IPSCHED/interval=0"}) {
    const std::string message = canonical(name);
    EXPECT_TRUE(message.starts_with("error: policy \"" + std::string(name) + "\": ") ||
                message.starts_with("error: unknown policy \"" + std::string(name) + "\""))
        << message;
  }
}

TEST(CollectiveNames, take_another_period) {
  EXPECT_EQ("IPSCHED/interval=60/window=7", *with_period("IPSCHED/window=7", seconds(60)));
  EXPECT_FALSE(with_period("BESTFIT", seconds(60)).has_value());
}

}  // namespace
}  // namespace aliquot
