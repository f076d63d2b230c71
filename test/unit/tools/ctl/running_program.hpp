// The program itself, run as users run it, against a manager of a few lines.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "test/unit/tools/ctl/loopback_daemon.hpp"

namespace aliquot::test {

struct Ran {
  int exit_code = -1;
  std::string out;
  std::string words;  // standard error
};

class RunningProgram : public testing::Test {
 protected:
  // `writer`: a command whose output it reads.
  Ran run(const std::string& arguments, const std::string& writer = "true") {
    const std::string words = manager_.directory() + "/words";
    const std::string command = writer + " | XDG_CONFIG_HOME=" + manager_.directory() +
                                " XDG_STATE_HOME=" + manager_.directory() + " " + environment_ +
                                " ALIQUOT_SERVER=" + manager_.socket() +
                                " timeout 20 " ALIQUOT_PROGRAM " " + arguments + " 2>" + words;
    FILE* pipe = popen(command.c_str(), "r");
    Ran ran;
    char buffer[4096];
    for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) ran.out.append(buffer, n);
    ran.exit_code = WEXITSTATUS(pclose(pipe));
    std::ifstream file(words);
    ran.words.assign(std::istreambuf_iterator<char>(file), {});
    return ran;
  }
  nlohmann::json answer(const std::string& arguments) {
    const Ran ran = run(arguments + " --json");
    EXPECT_EQ(ran.exit_code, 0) << arguments << ": " << ran.words;
    return nlohmann::json::parse(ran.out, nullptr, false);
  }
  // It fails so, says this, and prints no data.
  void fails(const std::string& arguments, int code, const std::string& says) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.exit_code, code) << arguments << ": " << ran.words;
    EXPECT_NE(ran.words.find(says), std::string::npos) << arguments << ": " << ran.words;
    EXPECT_EQ(ran.out, "") << arguments;
  }

  LoopbackDaemon manager_;
  std::string environment_;  // more of it: "NAME=value"
};

}  // namespace aliquot::test
