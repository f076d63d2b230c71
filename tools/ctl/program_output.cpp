#include "tools/ctl/program_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace aliquot {
namespace {

constexpr auto kDeadline = std::chrono::seconds(10);
constexpr std::size_t kMaxOutput = std::size_t{1} << 20;

// Reads until the end of the stream, the limit or the deadline; false at the latter two.
bool read_all(int fd, std::string& out) {
  const auto end = std::chrono::steady_clock::now() + kDeadline;
  std::array<char, 4096> buffer;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now())
            .count();
    pollfd ready{fd, POLLIN, 0};
    if (left <= 0 || out.size() > kMaxOutput) return false;
    if (poll(&ready, 1, static_cast<int>(left)) <= 0) continue;
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got == 0) return true;
    if (got > 0) out.append(buffer.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) return false;
  }
}

// Starts it in an empty environment, its output in a pipe. Returns 0 or an errno.
int start(std::vector<std::string>& arguments, pid_t& pid, int& output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  char* environment[] = {nullptr};
  const int error = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environment);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  output = ends[0];
  if (error != 0) close(ends[0]);
  return error;
}

}  // namespace

Result<ProgramOutput> output_of(std::vector<std::string> argv) {
  pid_t pid = 0;
  int output = -1;
  if (const int error = start(argv, pid, output); error != 0)
    return fail(ErrorKind::not_found, "cannot run " + argv[0] + ": " + std::strerror(error));
  ProgramOutput out;
  const bool complete = read_all(output, out.text);
  close(output);
  if (!complete) kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!complete) {
    std::string command;
    for (const std::string& argument : argv) command += (command.empty() ? "" : " ") + argument;
    return fail(ErrorKind::timeout, command + " did not end within 10 s");
  }
  out.succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return out;
}

}  // namespace aliquot
