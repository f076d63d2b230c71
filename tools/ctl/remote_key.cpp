#include "tools/ctl/remote_key.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <sstream>

#include "config/fault.hpp"
#include "config/file_text.hpp"
#include "config/form.hpp"
#include "config/quantities.hpp"

namespace aliquot::ctl {
namespace {

constexpr std::size_t kMostBytes = 4096;
constexpr std::string_view kScheme = "tcp://";
constexpr const char* kFirstLine = "# A key for Aliquot: nobody but you may read this file.\n";

using Words = std::map<std::string, std::string>;

Words words_of(const std::string& text) {
  Words words;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto blank = line.find(' ');
    if (!line.starts_with('#') && blank != std::string::npos)
      words[line.substr(0, blank)] = line.substr(blank + 1);
  }
  return words;
}

}  // namespace

Result<RemoteKey> read_remote_key(const std::string& file) {
  struct stat about {};
  if (stat(file.c_str(), &about) != 0)
    return fail(ErrorKind::not_found, "cannot read the key " + file + ": " + std::strerror(errno) +
                                          "; `aliquot key new` on the manager's machine makes one");
  if ((about.st_mode & 077) != 0)
    return fail(ErrorKind::refused, "other users can read the key " + file + ": chmod 600 " + file +
                                        ", and have it revoked if it was so for long");
  const auto text = read_file_text(file, kMostBytes);
  if (!text) return tl::unexpected<Error>(as_error({text.error()}));
  Words words = words_of(*text);
  const auto key = [&](const char* word) { return parse_key(words[word]); };
  const auto server = key("server"), public_key = key("public"), secret_key = key("secret");
  if (!server || !public_key || !secret_key || !check_tcp_address(words["at"]))
    return fail(ErrorKind::invalid_argument, file +
                                                 " is not a file of `aliquot key new`: it needs the lines "
                                                 "at, server, public and secret (docs/remote.md)");
  return RemoteKey{words["name"], words["at"], *server, {*public_key, *secret_key}, file};
}

Result<void> write_remote_key(const std::string& file, const RemoteKey& key) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0 && errno == EEXIST)
    return fail(ErrorKind::conflict, file + " exists already: no key is replaced; choose another --to");
  const std::string text = kFirstLine + ("name " + key.name) + "\nat " + key.at + "\nserver " +
                           aliquot::to_text(key.server) + "\npublic " +
                           aliquot::to_text(key.own.public_key) + "\nsecret " +
                           aliquot::to_text(key.own.secret_key) + "\n";
  const bool written = fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const std::string why = std::strerror(errno);
  if (fd >= 0) close(fd);
  if (written) return {};
  return fail(ErrorKind::refused, "cannot write " + file + ": " + why);
}

Result<void> check_tcp_address(const std::string& text) {
  const auto colon = text.rfind(':');
  const bool has_host = text.starts_with(kScheme) && colon != std::string::npos && colon > kScheme.size();
  std::string host = has_host ? text.substr(kScheme.size(), colon - kScheme.size()) : "";
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (has_host && host_name().parse(host) && count_between(1, 65'535).parse(text.substr(colon + 1)))
    return {};
  return fail(ErrorKind::invalid_argument,
              quote(text) + " is no address of a manager; write tcp://HOST:PORT");
}

}  // namespace aliquot::ctl
