#include "tools/bench/hostile/besieged_daemon.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "tools/ctl/client.hpp"

namespace aliquot::siege {
namespace {

constexpr int kStartTries = 600;
constexpr auto kStartPause = std::chrono::milliseconds(50);

std::uint16_t free_port() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof name;
  const bool got = bind(fd, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0 &&
                   getsockname(fd, reinterpret_cast<sockaddr*>(&name), &length) == 0;
  close(fd);
  if (!got) throw std::runtime_error("no port is free");
  return ntohs(name.sin_port);
}

}  // namespace

BesiegedDaemon::BesiegedDaemon(std::string program) : program_(std::move(program)) {
  std::string name = std::filesystem::temp_directory_path() / "aliquot-siege-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot create " + name);
  directory_ = name;
  std::filesystem::permissions(directory_, std::filesystem::perms(0755));
  target_ = {directory_ + "/run/api.sock", directory_ + "/run/events.sock", free_port()};
  std::ofstream(directory_ + "/aliquot.yaml")
      << "cluster: siege\nstate_dir: " << directory_ << "/state\nspool_dir: " << directory_
      << "/spool\npolicy:\n  spec: FCFS\napi:\n  socket: " << target_.api
      << "\n  events: " << target_.events << "\n  socket_mode: \"0666\"\nhttp:\n  port: " << target_.http
      << "\nlog:\n  level: error\nnodes:\n  - name: absent\n    uri: qemu+unix:///system?socket="
      << directory_ << "/no-libvirtd\n    cores: 4\n    memory: 8GiB\n";
}

BesiegedDaemon::~BesiegedDaemon() {
  kill();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

Result<void> BesiegedDaemon::start() {
  const std::string config = directory_ + "/aliquot.yaml";
  pid_ = fork();
  if (pid_ == 0) {
    execl(program_.c_str(), "aliquotd", "--config", config.c_str(), nullptr);
    _exit(127);
  }
  for (int i = 0; i < kStartTries && runs(); ++i) {
    ctl::Client client({target_.api, seconds(5)});
    if (client.ask(Status{})) return {};
    std::this_thread::sleep_for(kStartPause);
  }
  return fail(ErrorKind::unavailable, program_ + " does not start; run it with " + config);
}

bool BesiegedDaemon::runs() const { return pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == 0; }

void BesiegedDaemon::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

std::int64_t BesiegedDaemon::memory_peak() const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  for (std::string word; status >> word;) {
    std::int64_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib << 10;
  }
  return 0;
}

}  // namespace aliquot::siege
