// Settings of a whole manager: what a reload changes, and policy and mode between configuration and
// command.
#include <pwd.h>

#include <nlohmann/json.hpp>

#include "test/unit/manager/running_daemon.hpp"

namespace aliquot::test {
namespace {

using nlohmann::json;

class LiveSettings : public testing::Test {
 protected:
  LiveSettings() {
    daemon_.settings.api.operators = {getpwuid(getuid())->pw_name};
    daemon_.start();
  }
  json ask(const Request& request) {
    RawClient client(daemon_.settings.api.socket);
    const Reply reply = client.ask(header("q"), request).reply;
    EXPECT_FALSE(reply.error) << reply.error->message;
    return json::parse(reply.body);
  }
  void restart() {
    daemon_.stop();
    daemon_.start();
  }
  // The policy in force and its source.
  std::string policy() {
    const json answer = ask(PolicyShow{});
    return answer["policy"].get<std::string>() + " " + answer["source"].get<std::string>();
  }
  std::string mode() {
    const json answer = ask(ModeShow{});
    return answer["mode"].get<std::string>() + " " + answer["source"].get<std::string>();
  }

  TemporaryDirectory directory_;
  RunningDaemon daemon_{directory_};
};

TEST_F(LiveSettings, AReloadChangesWhatIsLiveAndNothingElse) {
  daemon_.settings.cluster = "renamed";
  daemon_.settings.limits.max_jobs = 77;
  daemon_.settings.policy.spec = "EASY";
  daemon_.settings.policy.mode = "advise";
  daemon_.settings.api.max_request = mebibytes(128);
  daemon_.reload();
  EXPECT_EQ(policy(), "EASY configuration");
  EXPECT_EQ(mode(), "advise configuration");
  EXPECT_EQ(ask(Hello{})["cluster"], "renamed");
  EXPECT_EQ(ask(Hello{})["limits"]["max_jobs"], 77);
  EXPECT_EQ(ask(Hello{})["limits"]["max_request_bytes"], mebibytes(64).raw) << "needs a restart";
  restart();
  EXPECT_EQ(ask(Hello{})["limits"]["max_request_bytes"], mebibytes(128).raw);
  EXPECT_EQ(policy(), "EASY configuration");
}

TEST_F(LiveSettings, TheLogSaysWhenEachChangeIsInForce) {
  (void)ask(PolicySet{"GREEDY"});
  daemon_.settings.log.level = "info";
  daemon_.reload();
  (void)ask(Hello{});
  testing::internal::CaptureStderr();
  daemon_.settings.policy.spec = "EASY";
  daemon_.settings.policy.mode = "off";
  daemon_.settings.http.host = "localhost";
  daemon_.reload();
  (void)ask(Hello{});
  const std::string log = testing::internal::GetCapturedStderr();
  for (const char* line : {"key=policy.spec before='FCFS' after='EASY' in_force=after_policy_reset",
                           "key=policy.mode before='auto' after='off' in_force=now",
                           "key=http.host before='127.0.0.1' after='localhost' in_force=after_restart"})
    EXPECT_NE(log.find(line), std::string::npos) << line << "\n" << log;
}

TEST_F(LiveSettings, WhatTheConfigurationSaysIsTrueAfterARestart) {
  daemon_.settings.policy.spec = "EASY";
  daemon_.settings.policy.mode = "advise";
  restart();
  EXPECT_EQ(policy(), "EASY configuration");
  EXPECT_EQ(mode(), "advise configuration");
}

TEST_F(LiveSettings, ACommandOverridesTheConfigurationUntilItIsReset) {
  const json set = ask(PolicySet{"DYNMCB8-PER-600"});
  EXPECT_EQ(set["by_uid"], getuid());
  EXPECT_EQ(set["configured"], "FCFS");
  (void)ask(PeriodSet{seconds(60)});
  (void)ask(ModeSet{Mode::off});
  daemon_.settings.policy.spec = "EASY";
  daemon_.settings.policy.mode = "advise";
  daemon_.reload();
  EXPECT_EQ(policy(), "DYNMCB8-PER-60 command");
  EXPECT_EQ(mode(), "off command");
  restart();
  EXPECT_EQ(policy(), "DYNMCB8-PER-60 command");
  EXPECT_EQ(mode(), "off command");
  EXPECT_EQ(ask(PolicyShow{})["configured"], "EASY");
  EXPECT_EQ(ask(PolicyReset{})["policy"], "EASY");
  EXPECT_EQ(ask(ModeReset{})["mode"], "advise");
  EXPECT_EQ(policy(), "EASY configuration");
  EXPECT_EQ(mode(), "advise configuration");
  daemon_.settings.policy.spec = "FCFS";
  daemon_.reload();
  EXPECT_EQ(policy(), "FCFS configuration") << "without a command the configuration rules";
}

}  // namespace
}  // namespace aliquot::test
