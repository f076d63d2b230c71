#include "manager/keys/curve_keys.hpp"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

namespace aliquot {
namespace {

constexpr std::string_view kPublic = "public ", kSecret = "secret ";

}  // namespace

std::string to_text(const CurveKey& key) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : key) {
    text.push_back(digits[byte >> 4]);
    text.push_back(digits[byte & 15]);
  }
  return text;
}

Result<CurveKey> parse_key(std::string_view text) {
  CurveKey key{};
  bool is_right = text.size() == 2 * key.size();
  for (std::size_t i = 0; is_right && i < key.size(); ++i) {
    const char* const end = text.data() + 2 * i + 2;
    const auto [stop, error] = std::from_chars(end - 2, end, key[i], 16);
    is_right = error == std::errc() && stop == end;
  }
  if (is_right) return key;
  return fail(ErrorKind::invalid_argument,
              "a key has 64 hexadecimal digits, as `aliquot-node keys` prints it");
}

Result<CurveKeys> make_keys() {
  if (sodium_init() < 0) return fail(ErrorKind::unavailable, "the kernel has no random bytes; try again");
  CurveKeys keys;
  crypto_box_keypair(keys.public_key.data(), keys.secret_key.data());
  return keys;
}

Result<void> write_keys(const std::string& path, const CurveKeys& keys) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 && errno == EEXIST)
    return fail(ErrorKind::conflict,
                path + " exists already: keys in use are not replaced; remove it first");
  const std::string text = std::string(kPublic) + to_text(keys.public_key) + "\n" + std::string(kSecret) +
                           to_text(keys.secret_key) + "\n";
  const bool written =
      file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const std::string why = std::strerror(errno);
  if (file >= 0) ::close(file);
  if (written) return {};
  return fail(ErrorKind::refused, "cannot write " + path + ": " + why);
}

Result<CurveKeys> read_keys(const std::string& path) {
  struct stat about {};
  std::ifstream in(path);
  if (!in || ::stat(path.c_str(), &about) != 0)
    return fail(ErrorKind::not_found,
                "cannot read the keys in " + path + ": `aliquot-node keys " + path + "` makes them");
  if ((about.st_mode & 077) != 0)
    return fail(ErrorKind::refused, path + " can be read by other users: chmod 600 " + path +
                                        ", and make new keys if it was so for long");
  std::string public_line, secret_line;
  std::getline(in, public_line);
  std::getline(in, secret_line);
  if (!public_line.starts_with(kPublic) || !secret_line.starts_with(kSecret))
    return fail(ErrorKind::invalid_argument, path + " is not a file of `aliquot-node keys`");
  const auto public_key = parse_key(std::string_view(public_line).substr(kPublic.size()));
  const auto secret_key = parse_key(std::string_view(secret_line).substr(kSecret.size()));
  if (!public_key) return fail(ErrorKind::invalid_argument, path + ": " + public_key.error().message);
  if (!secret_key) return fail(ErrorKind::invalid_argument, path + ": " + secret_key.error().message);
  return CurveKeys{*public_key, *secret_key};
}

}  // namespace aliquot
