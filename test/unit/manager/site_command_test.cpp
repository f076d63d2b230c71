#include "manager/site_command.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace aliquot {
namespace {

class SiteCommands : public testing::Test {
 protected:
  Result<std::string> run(const std::string& script) {
    command_.words = {"/bin/sh", "-c", script, "fence"};
    return run_site_command(command_, "n7", stopping_);
  }
  SiteCommand command_{"fencing.command", {}, seconds(60), "fencing.timeout"};
  std::atomic<bool> stopping_{false};
};

TEST_F(SiteCommands, GetsTheNodeAndItsLastLineIsTheReason) {
  const auto said = run("echo first; echo \"switched off $1\"");
  ASSERT_TRUE(said) << said.error().message;
  EXPECT_EQ(*said, "switched off n7");
}

TEST_F(SiteCommands, AnyOtherEndConfirmsNothing) {
  const auto said = run("echo no route to n7-ipmi >&2; exit 3");
  ASSERT_FALSE(said);
  EXPECT_NE(said.error().message.find("ended with exit status 3"), std::string::npos);
  EXPECT_NE(said.error().message.find("no route to n7-ipmi"), std::string::npos);
  EXPECT_FALSE(run("kill -9 $$"));
}

TEST_F(SiteCommands, IsKilledWithItsChildrenAtItsTimeout) {
  command_.timeout = Duration{200'000};
  const auto said = run("sleep 600 & sleep 600");
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().kind, ErrorKind::timeout);
  EXPECT_NE(said.error().message.find("fencing.timeout"), std::string::npos);
}

TEST_F(SiteCommands, IsEndedByABrokenPipeAlthoughTheManagerIsNot) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const auto said = run("kill -PIPE $$; echo it goes on");
  std::signal(SIGPIPE, before);
  ASSERT_FALSE(said) << *said;
  EXPECT_NE(said.error().message.find("signal " + std::to_string(SIGPIPE)), std::string::npos);
}

TEST_F(SiteCommands, EndsWhenTheManagerStops) {
  stopping_ = true;
  EXPECT_FALSE(run("sleep 600"));
}

TEST_F(SiteCommands, ThatIsNotThereIsAnError) {
  command_.words = {"/nonexistent/fence"};
  const auto said = run_site_command(command_, "n7", stopping_);
  ASSERT_FALSE(said);
  EXPECT_NE(said.error().message.find("could not be started"), std::string::npos);
}

}  // namespace
}  // namespace aliquot
