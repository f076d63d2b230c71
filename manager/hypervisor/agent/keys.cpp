#include "manager/hypervisor/agent/keys.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

namespace aliquot::agent {
namespace {

constexpr std::string_view kPublic = "public ", kSecret = "secret ";

Result<Key> from_z85(const char* text) {
  Key key{};
  if (zmq_z85_decode(key.data(), text) != nullptr) return key;
  return fail(ErrorKind::internal, "ZeroMQ made a key that cannot be read");
}

}  // namespace

std::string to_text(const Key& key) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : key) {
    text.push_back(digits[byte >> 4]);
    text.push_back(digits[byte & 15]);
  }
  return text;
}

Result<Key> parse_key(std::string_view text) {
  Key key{};
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

Result<KeyPair> make_keys() {
  char public_text[41], secret_text[41];
  if (zmq_curve_keypair(public_text, secret_text) != 0)
    return fail(ErrorKind::unsupported, "this ZeroMQ has no CURVE: it was built without libsodium");
  const auto public_key = from_z85(public_text), secret_key = from_z85(secret_text);
  if (!public_key) return tl::unexpected(public_key.error());
  if (!secret_key) return tl::unexpected(secret_key.error());
  return KeyPair{*public_key, *secret_key};
}

Result<void> write_keys(const std::string& path, const KeyPair& keys) {
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

Result<KeyPair> read_keys(const std::string& path) {
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
  return KeyPair{*public_key, *secret_key};
}

}  // namespace aliquot::agent
