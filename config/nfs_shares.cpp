#include "config/nfs_shares.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "config/quantities.hpp"

namespace aliquot {
namespace {

constexpr const char* kExpects =
    "NAME=SERVER:/DIRECTORY:/PATH (home=nfs1:/export/home:/home), with :ro at its end for one that is "
    "mounted read-only";

// A guest has its own file systems and programs there.
constexpr std::array<std::string_view, 14> kGuestOwn = {"/aliquot", "/bin",  "/boot",  "/dev",   "/etc",
                                                        "/init",    "/lib",  "/lib32", "/lib64", "/proc",
                                                        "/run",     "/sbin", "/sys",   "/usr"};
constexpr std::size_t kLongestPath = 512;

// These paths go into options of mounts, scripts and definitions of VMs as they are.
bool is_plain_path(std::string_view path) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+@").find(c) != std::string_view::npos;
  };
  const std::string ended = std::string(path) + "/";
  return path.starts_with('/') && path.size() <= kLongestPath && std::ranges::all_of(path, plain) &&
         ended.find("/../") == std::string::npos && ended.find("/./") == std::string::npos &&
         path.find("//") == std::string_view::npos && (path.size() == 1 || !path.ends_with('/'));
}

bool is_guests_own(const std::string& path) {
  return path == "/" || std::ranges::any_of(kGuestOwn, [&](std::string_view own) {
           return (path + "/").starts_with(std::string(own) + "/");
         });
}

tl::unexpected<Error> wrong(const std::string& text, const std::string& why) {
  return fail(ErrorKind::invalid_argument, quote(text.substr(0, 200)) + ": " + why + "; write " + kExpects);
}

Result<NfsShare> parse_share(const std::string& text) {
  NfsShare share;
  const std::size_t equals = text.find('='), directory = text.find(":/");
  if (equals == std::string::npos || directory == std::string::npos || directory < equals)
    return wrong(text, "it is no share");
  const std::size_t path = text.find(":/", directory + 1);
  if (path == std::string::npos) return wrong(text, "it does not say where guests have it");
  share.name = text.substr(0, equals);
  share.server = text.substr(equals + 1, directory - equals - 1);
  share.directory = text.substr(directory + 1, path - directory - 1);
  share.path = text.substr(path + 1);
  if (share.path.ends_with(":ro")) {
    share.read_only = true;
    share.path.erase(share.path.size() - 3);
  }
  if (const auto name = simple_name().parse(share.name); !name) return wrong(text, "its name is none");
  if (const auto server = host_name().parse(share.server); !server)
    return wrong(text, "its server is no host name and no address");
  for (const std::string* each : {&share.directory, &share.path})
    if (!is_plain_path(*each))
      return wrong(
          text,
          quote(*each) + " must be an absolute path of letters, digits and . _ - + @, without .. in it");
  if (is_guests_own(share.path))
    return wrong(text, quote(share.path) + " is the guest's own directory; take another, such as /site");
  return share;
}

std::string print_share(const NfsShare& share) {
  return share.name + "=" + share.server + ":" + share.directory + ":" + share.path +
         (share.read_only ? ":ro" : "");
}

}  // namespace

Form<NfsShare> nfs_share() {
  return {
      kExpects,
      R"("type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]*=[A-Za-z0-9.:-]+:/[^:]*:/[^:]+(:ro)?$")",
      parse_share, print_share};
}

std::string fault_of(const std::vector<NfsShare>& shares) {
  if (shares.size() > kMostShares)
    return "there are " + std::to_string(shares.size()) + " shares; at most " +
           std::to_string(kMostShares) + " can be had: join some on their server";
  std::set<std::string> names, paths;
  for (const NfsShare& share : shares) {
    if (!names.insert(share.name).second)
      return "two shares are called " + share.name + "; give each a name of its own";
    if (!paths.insert(share.path).second)
      return "two shares stand at " + share.path + "; give each a path of its own";
  }
  return {};
}

}  // namespace aliquot
