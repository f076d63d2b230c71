// The user's own file: what it sets, and every fault with its place.
#include "tools/ctl/client_config.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace aliquot::ctl {
namespace {

class ClientFile : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/aliquot-client-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    dir_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  Result<ClientConfig> read(const std::string& text) {
    std::ofstream(dir_ + "/config.yaml") << text;
    return read_client_config(dir_ + "/config.yaml");
  }
  std::string fault(const std::string& text) {
    const auto config = read(text);
    return config ? "taken" : config.error().message.substr(dir_.size() + 1);
  }
  std::string dir_;
};

TEST_F(ClientFile, SetsWhatItNames) {
  const auto config = read("server: /run/other.sock\noutput: wide\n");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server, "/run/other.sock");
  EXPECT_EQ(config->output, "wide");
  EXPECT_EQ(config->timeout, std::nullopt);
  EXPECT_TRUE(read("# nothing\n"));
  EXPECT_TRUE(read_client_config(dir_ + "/none.yaml"));
  EXPECT_TRUE(read_client_config(""));
}

TEST_F(ClientFile, EveryFaultHasItsPlace) {
  EXPECT_EQ(fault("sever: x\n"), "config.yaml:1:1: sever: is not known; did you mean `server`?");
  EXPECT_EQ(fault("xyzzy: x\n"),
            "config.yaml:1:1: xyzzy: is not known; known are server, key, output, timeout, color");
  EXPECT_EQ(fault("output: [a]\n"), "config.yaml:1:1: output: must be a single value");
  EXPECT_EQ(fault("color: auto\ncolor: never\n"),
            "config.yaml:2:1: color: stands here twice; give it once");
  EXPECT_NE(fault("- a\n").find("must be a map"), std::string::npos);
  EXPECT_NE(fault("a: {").find("is not YAML"), std::string::npos);
}

TEST(ClientConfigPath, IsBelowTheConfigurationHomeOrHome) {
  EXPECT_EQ(client_config_path("/c", "/u/me"), "/c/aliquot/config.yaml");
  EXPECT_EQ(client_config_path("", "/u/me"), "/u/me/.config/aliquot/config.yaml");
  EXPECT_EQ(client_config_path("relative", "/u/me"), "/u/me/.config/aliquot/config.yaml");
  EXPECT_EQ(client_config_path(nullptr, nullptr), "");
}

}  // namespace
}  // namespace aliquot::ctl
