// For tests: an etcd of one member on free ports of loopback, with its data in a directory that goes away.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "manager/ha/etcd_client.hpp"
#include "manager/ha/keys.hpp"

namespace aliquot::ha::test {

inline std::uint16_t free_port() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof name;
  if (bind(fd, reinterpret_cast<sockaddr*>(&name), size) != 0 ||
      getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) != 0)
    throw std::runtime_error("no free port");
  close(fd);
  return ntohs(name.sin_port);
}

class RealEtcd {
 public:
  static bool is_installed() { return access("/usr/bin/etcd", X_OK) == 0; }

  RealEtcd() {
    std::string name = (std::filesystem::temp_directory_path() / "aliquot-etcd-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    directory_ = name;
    url_ = "http://127.0.0.1:" + std::to_string(free_port());
    const std::string peer = "http://127.0.0.1:" + std::to_string(free_port());
    const std::string data = directory_ + "/data";
    const std::string cluster = "default=" + peer;
    pid_ = fork();
    if (pid_ == 0) {
      // It maps 10 GiB; tools/mutants lets the programs that it tests have less.
      constexpr rlimit kAll{RLIM_INFINITY, RLIM_INFINITY};
      setrlimit(RLIMIT_AS, &kAll);
      const int quiet = open("/dev/null", O_WRONLY);
      dup2(quiet, 1);
      dup2(quiet, 2);
      execl("/usr/bin/etcd", "etcd", "--data-dir", data.c_str(), "--listen-client-urls", url_.c_str(),
            "--advertise-client-urls", url_.c_str(), "--listen-peer-urls", peer.c_str(),
            "--initial-advertise-peer-urls", peer.c_str(), "--initial-cluster", cluster.c_str(),
            static_cast<char*>(nullptr));
      _exit(127);
    }
    EtcdClient client(settings());
    for (int tries = 0; tries < 200 && !client.transact({{}, {Get{"x"}}}); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  RealEtcd(const RealEtcd&) = delete;
  RealEtcd& operator=(const RealEtcd&) = delete;
  ~RealEtcd() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  [[nodiscard]] EtcdSettings settings() const { return {{url_}}; }
  [[nodiscard]] OpenEtcd opener() const { return etcd_at(settings()); }
  [[nodiscard]] const std::string& directory() const { return directory_; }
  void pause() const { kill(pid_, SIGSTOP); }
  void resume() const { kill(pid_, SIGCONT); }

 private:
  std::string directory_;
  std::string url_;
  pid_t pid_ = -1;
};

// The tests of a file share one; each has a prefix of its own.
class OnEtcd : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RealEtcd::is_installed()) GTEST_SKIP() << "etcd is not installed (apt-get install etcd-server)";
    if (!etcd_) etcd_ = std::make_unique<RealEtcd>();
  }
  static void TearDownTestSuite() { etcd_.reset(); }
  [[nodiscard]] static RealEtcd& etcd() { return *etcd_; }
  [[nodiscard]] static Keys keys() {
    return Keys(std::string("/test/") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
  }

 private:
  inline static std::unique_ptr<RealEtcd> etcd_;
};

}  // namespace aliquot::ha::test
