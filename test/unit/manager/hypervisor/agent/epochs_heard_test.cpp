// An agent obeys no manager whose epoch is over, also when the agent itself has started anew.
#include "manager/hypervisor/agent/epochs_heard.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "manager/hypervisor/agent/agent_wire.hpp"
#include "test/support/temporary_directory.hpp"

namespace aliquot::agent {
namespace {

class Epochs : public ::testing::Test {
 protected:
  [[nodiscard]] EpochsHeard opened() const { return EpochsHeard::open(file_).value(); }
  const aliquot::test::TemporaryDirectory directory_;
  const std::string file_ = directory_.file("epochs");
};

TEST_F(Epochs, of_a_cluster_do_not_go_back) {
  EpochsHeard heard = opened();
  EXPECT_TRUE(heard.hear("c", 4));
  EXPECT_TRUE(heard.hear("c", 4)) << "a manager may begin a new session";
  const auto refused = heard.hear("c", 3);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::not_leader);
  EXPECT_NE(refused.error().message.find("(epoch 4, this one is 3)"), std::string::npos);
  EXPECT_TRUE(heard.hear("other", 1)) << "each cluster counts its own";
  EXPECT_EQ(heard.highest("c"), 4U);
}

TEST_F(Epochs, outlive_the_agent) {
  EXPECT_TRUE(opened().hear("c", 4));
  EXPECT_TRUE(opened().hear("d", 2));
  EXPECT_FALSE(opened().hear("c", 3));
  EXPECT_FALSE(opened().hear("d", 1));
  EXPECT_TRUE(opened().hear("c", 5));
}

TEST_F(Epochs, begin_anew_with_a_store_that_is_lost) {
  EXPECT_TRUE(opened().hear("c", 17));
  EXPECT_TRUE(opened().hear("c", kStoreIsLost));
  EXPECT_TRUE(opened().hear("c", 2));
}

TEST_F(Epochs, that_cannot_be_kept_are_not_heard) {
  EpochsHeard heard = EpochsHeard::open(directory_.file("none/epochs")).value();
  EXPECT_FALSE(heard.hear("c", 4));
  EXPECT_EQ(heard.highest("c"), 0U);
  EXPECT_FALSE(opened().hear("two words", 4));
  EXPECT_FALSE(opened().hear("", 4));
}

TEST_F(Epochs, that_are_not_understood_are_not_guessed) {
  for (const char* text : {"c four\n", "c 4", "c\n"}) {
    std::ofstream(file_) << text;
    EXPECT_FALSE(EpochsHeard::open(file_)) << text;
  }
}

}  // namespace
}  // namespace aliquot::agent
