#include "tools/ctl/archive_elf.hpp"

#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace aliquot {
namespace {

constexpr auto kListDeadline = std::chrono::seconds(10);
constexpr std::size_t kMaxList = std::size_t{1} << 20;
constexpr std::size_t kMaxPath = 4096;

template <class T>
bool read_at(std::string_view content, std::uint64_t offset, T& out) {
  if (offset > content.size() || content.size() - offset < sizeof out) return false;
  std::memcpy(&out, content.data() + offset, sizeof out);
  return true;
}

// Reads until the end of the stream, the limit or the deadline; false at the latter two.
bool read_all(int fd, std::string& out) {
  const auto end = std::chrono::steady_clock::now() + kListDeadline;
  std::array<char, 4096> buffer;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now())
            .count();
    pollfd ready{fd, POLLIN, 0};
    if (left <= 0 || out.size() > kMaxList) return false;
    if (poll(&ready, 1, static_cast<int>(left)) <= 0) continue;
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got == 0) return true;
    if (got > 0) out.append(buffer.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) return false;
  }
}

// Starts `loader --list program` in an empty environment, its output in a pipe. Returns 0 or an errno.
int start_loader(const std::string& loader, const std::string& program, pid_t& pid, int& output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  std::string list = "--list", first = loader, second = program;
  char* argv[] = {first.data(), list.data(), second.data(), nullptr};
  char* environment[] = {nullptr};
  const int error = posix_spawn(&pid, loader.c_str(), &actions, nullptr, argv, environment);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  output = ends[0];
  if (error != 0) close(ends[0]);
  return error;
}

}  // namespace

Result<std::string> elf_interpreter(std::string_view content, const std::string& name) {
  Elf64_Ehdr header;
  if (!read_at(content, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64) {
    return fail(ErrorKind::unsupported, name +
                                            " is neither a script nor a program for 64-bit x86, which is "
                                            "what task guests run; build it for that processor");
  }
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (header.e_phentsize != sizeof segment ||
        !read_at(content, header.e_phoff + i * sizeof segment, segment)) {
      return fail(ErrorKind::invalid_argument, name + " is a damaged ELF file: its headers end too early");
    }
    if (segment.p_type != PT_INTERP) continue;
    if (segment.p_offset > content.size() || segment.p_filesz > content.size() - segment.p_offset ||
        segment.p_filesz < 2 || segment.p_filesz > kMaxPath) {
      return fail(ErrorKind::invalid_argument, name + " is a damaged ELF file: its loader's name is cut");
    }
    const std::string_view path = content.substr(segment.p_offset, segment.p_filesz);
    return std::string(path.substr(0, path.find('\0')));
  }
  return std::string();
}

Result<std::vector<std::string>> parse_library_list(std::string_view output, const std::string& program) {
  std::vector<std::string> paths;
  while (!output.empty()) {
    const std::size_t end = output.find('\n');
    std::string_view line = output.substr(0, end);
    output.remove_prefix(end == std::string_view::npos ? output.size() : end + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (const std::size_t arrow = line.find(" => "); arrow != std::string_view::npos) {
      if (line.substr(arrow + 4).starts_with("not found")) {
        return fail(
            ErrorKind::not_found,
            program + " needs " + std::string(line.substr(0, arrow)) +
                ", which the loader does not find; install it (LD_LIBRARY_PATH does not travel), or "
                "link the program statically");
      }
      line.remove_prefix(arrow + 4);
    }
    // "/path/name.so (0x...)"; the kernel's own linux-vdso has no path and needs none.
    const std::size_t address = line.rfind(" (0x");
    if (line.starts_with('/') && address != std::string_view::npos)
      paths.emplace_back(line.substr(0, address));
  }
  return paths;
}

Result<std::vector<std::string>> list_libraries(const std::string& loader, const std::string& program) {
  pid_t pid = 0;
  int output = -1;
  if (const int error = start_loader(loader, program, pid, output); error != 0) {
    return fail(ErrorKind::not_found,
                "cannot run " + loader + ", the loader of " + program + ": " + std::strerror(error));
  }
  std::string text;
  const bool complete = read_all(output, text);
  close(output);
  if (!complete) kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!complete) {
    return fail(ErrorKind::timeout, loader + " --list " + program + " did not end within 10 s");
  }
  auto paths = parse_library_list(text, program);
  if (paths && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
    return fail(ErrorKind::unsupported, loader + " cannot list the libraries of " + program + ": " +
                                            text.substr(0, text.find('\n')).substr(0, 200));
  }
  return paths;
}

}  // namespace aliquot
