// For tests: an etcd, of one member if nothing else is said, on free ports of loopback, with its data in a
// directory that goes away.
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
#include <vector>

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

  explicit RealEtcd(std::size_t members = 1) {
    std::string name = (std::filesystem::temp_directory_path() / "aliquot-etcd-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    directory_ = name;
    std::vector<std::string> peers;
    std::string cluster;
    for (std::size_t i = 0; i < members; ++i) {
      urls_.push_back("http://127.0.0.1:" + std::to_string(free_port()));
      peers.push_back("http://127.0.0.1:" + std::to_string(free_port()));
      cluster += (i == 0 ? "m" : ",m") + std::to_string(i) + "=" + peers.back();
    }
    for (std::size_t i = 0; i < members; ++i) begin(i, peers[i], cluster);
    EtcdClient client(settings());
    for (int tries = 0; tries < 200 && !client.transact({{}, {Get{"x"}}}); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  RealEtcd(const RealEtcd&) = delete;
  RealEtcd& operator=(const RealEtcd&) = delete;
  ~RealEtcd() {
    for (const pid_t pid : pids_) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  [[nodiscard]] EtcdSettings settings() const { return {urls_}; }
  [[nodiscard]] OpenEtcd opener() const { return etcd_at(settings()); }
  [[nodiscard]] const std::string& directory() const { return directory_; }
  void pause(std::size_t member = 0) const { kill(pids_.at(member), SIGSTOP); }
  void resume(std::size_t member = 0) const { kill(pids_.at(member), SIGCONT); }

 private:
  void begin(std::size_t member, const std::string& peer, const std::string& cluster) {
    const std::string name = "m" + std::to_string(member), data = directory_ + "/" + name;
    const std::string& url = urls_[member];
    const pid_t pid = fork();
    if (pid == 0) {
      // It maps 10 GiB; tools/mutants lets the programs that it tests have less.
      constexpr rlimit kAll{RLIM_INFINITY, RLIM_INFINITY};
      setrlimit(RLIMIT_AS, &kAll);
      const int quiet = open("/dev/null", O_WRONLY);
      dup2(quiet, 1);
      dup2(quiet, 2);
      execl("/usr/bin/etcd", "etcd", "--name", name.c_str(), "--data-dir", data.c_str(),
            "--listen-client-urls", url.c_str(), "--advertise-client-urls", url.c_str(),
            "--listen-peer-urls", peer.c_str(), "--initial-advertise-peer-urls", peer.c_str(),
            "--initial-cluster", cluster.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    pids_.push_back(pid);
  }

  std::string directory_;
  std::vector<std::string> urls_;
  std::vector<pid_t> pids_;
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
