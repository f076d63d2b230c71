#include "policies/model/nearest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace aliquot {
namespace {

const std::vector<std::string> kWords{"host", "port", "hypervisor", "EASY"};

TEST(Nearest, OneOrTwoSlipsFindTheWord) {
  EXPECT_EQ(nearest("prot", kWords), "port");
  EXPECT_EQ(nearest("hots", kWords), "host");
  EXPECT_EQ(nearest("hypervizer", kWords), "hypervisor");
  EXPECT_EQ(nearest("easy", kWords), "EASY");
}

TEST(Nearest, EveryKindOfSlipIsOne) {
  EXPECT_EQ(slips_between("FCFS", "fcfs"), 0U);
  for (const char* written : {"hst", "hoost", "hast", "hsot"})
    EXPECT_EQ(slips_between(written, "host"), 1U);
  EXPECT_EQ(slips_between("", "host"), 4U);
}

TEST(Nearest, ThePhraseIsEmptyForAnUnknownWord) {
  EXPECT_EQ(did_you_mean("prot", kWords), "; did you mean `port`?");
  EXPECT_EQ(did_you_mean("xyzzy", kWords), "");
}

TEST(Nearest, AnUnknownWordFindsNone) {
  EXPECT_FALSE(nearest("database", kWords));
  EXPECT_FALSE(nearest("", kWords));
  EXPECT_FALSE(nearest(std::string(1000, 'h'), kWords));
}

}  // namespace
}  // namespace aliquot
