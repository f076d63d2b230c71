#include "manager/keys/curve_session.hpp"

#include <sodium.h>

#include <cstring>

namespace aliquot {
namespace {

constexpr std::size_t kKey = crypto_box_PUBLICKEYBYTES;
constexpr std::size_t kNonce = crypto_box_NONCEBYTES;
constexpr std::size_t kTag = crypto_box_MACBYTES;
constexpr std::size_t kNumber = 8;       // the part of a nonce that counts
constexpr std::size_t kLongNumber = 16;  // the part of a nonce that is drawn
constexpr std::size_t kCookie = kLongNumber + kTag + 2 * kKey;
constexpr std::size_t kVouch = kLongNumber + kTag + 2 * kKey;
constexpr std::string_view kHello("\5HELLO\1\0", 8);
constexpr std::string_view kInitiate("\10INITIATE", 9);
constexpr std::string_view kMessage("\7MESSAGE", 8);
constexpr std::size_t kPadding = 72;  // a WELCOME is no longer than the HELLO that asks for it
constexpr std::size_t kSignature = 64;
constexpr std::size_t kHelloBytes = kHello.size() + kPadding + kKey + kNumber + kTag + kSignature;
constexpr std::size_t kLeastInitiate = kInitiate.size() + kCookie + kNumber + kTag + kKey + kVouch;

using Nonce = std::array<std::uint8_t, kNonce>;
using Shared = std::array<std::uint8_t, 32>;

const std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}
std::uint8_t* bytes_of(std::string& text) { return reinterpret_cast<std::uint8_t*>(text.data()); }
std::string text_of(const CurveKey& key) { return {key.begin(), key.end()}; }
CurveKey key_of(std::string_view bytes) {
  CurveKey key{};
  std::memcpy(key.data(), bytes.data(), key.size());
  return key;
}

// `prefix` and `rest` have 24 bytes together.
Nonce nonce_of(std::string_view prefix, std::string_view rest) {
  Nonce nonce{};
  std::memcpy(nonce.data(), prefix.data(), prefix.size());
  std::memcpy(nonce.data() + prefix.size(), rest.data(), rest.size());
  return nonce;
}

std::string drawn(std::size_t count) {
  std::string bytes(count, '\0');
  randombytes_buf(bytes.data(), bytes.size());
  return bytes;
}

// False: a key of small order, with which anybody could read along.
bool share(Shared& shared, const CurveKey& theirs, const CurveKey& ours) {
  return crypto_box_beforenm(shared.data(), theirs.data(), ours.data()) == 0;
}

std::string closed(std::string_view plain, const Nonce& nonce, const Shared& shared) {
  std::string box(plain.size() + kTag, '\0');
  crypto_box_easy_afternm(bytes_of(box), bytes_of(plain), plain.size(), nonce.data(), shared.data());
  return box;
}

std::optional<std::string> opened(std::string_view box, const Nonce& nonce, const Shared& shared) {
  if (box.size() < kTag) return std::nullopt;
  std::string plain(box.size() - kTag, '\0');
  if (crypto_box_open_easy_afternm(bytes_of(plain), bytes_of(box), box.size(), nonce.data(),
                                   shared.data()) != 0)
    return std::nullopt;
  return plain;
}

tl::unexpected<Error> wrong(const char* what) { return fail(ErrorKind::forbidden, what); }

}  // namespace

CurveSession::~CurveSession() {
  sodium_memzero(short_term_.secret_key.data(), short_term_.secret_key.size());
  sodium_memzero(shared_.data(), shared_.size());
}

Result<std::string> CurveSession::welcome(std::string_view hello) {
  if (phase_ != Phase::hello || hello.size() != kHelloBytes || !hello.starts_with(kHello))
    return wrong("no CURVE client of version 1.0");
  hello.remove_prefix(kHello.size() + kPadding);
  client_short_term_ = key_of(hello);
  const std::string_view number = hello.substr(kKey, kNumber);
  Shared to_server{};
  if (!share(to_server, client_short_term_, server_.secret_key)) return wrong("no usable short-term key");
  const auto signature =
      opened(hello.substr(kKey + kNumber), nonce_of("CurveZMQHELLO---", number), to_server);
  if (!signature || !takes_number(number)) return wrong("it has the key of another server");
  auto keys = make_keys();
  if (!keys) return tl::unexpected<Error>(keys.error());
  short_term_ = *keys;
  // The session remembers what a cookie would have to: it is only asked for again.
  cookie_ = drawn(kCookie);
  const std::string drawn_number = drawn(kLongNumber);
  const std::string plain = text_of(short_term_.public_key) + cookie_;
  phase_ = Phase::initiate;
  return "\7WELCOME" + drawn_number + closed(plain, nonce_of("WELCOME-", drawn_number), to_server);
}

Result<CurveKey> CurveSession::initiate(std::string_view initiate) {
  if (phase_ != Phase::initiate || initiate.size() < kLeastInitiate || !initiate.starts_with(kInitiate) ||
      initiate.substr(kInitiate.size(), kCookie) != cookie_)
    return wrong("no CURVE client, or one that repeats what another has sent");
  initiate.remove_prefix(kInitiate.size() + kCookie);
  const std::string_view number = initiate.substr(0, kNumber);
  if (!share(shared_, client_short_term_, short_term_.secret_key)) return wrong("no usable short-term key");
  const auto plain = opened(initiate.substr(kNumber), nonce_of("CurveZMQINITIATE", number), shared_);
  if (!plain || !takes_number(number)) return wrong("it repeats what another client has sent");
  const CurveKey client = key_of(*plain);
  const std::string_view vouch = std::string_view(*plain).substr(kKey, kVouch);
  Shared with_client{};
  if (!share(with_client, client, short_term_.secret_key)) return wrong("no usable key");
  const auto vouched =
      opened(vouch.substr(kLongNumber), nonce_of("VOUCH---", vouch.substr(0, kLongNumber)), with_client);
  if (!vouched || *vouched != text_of(client_short_term_) + text_of(server_.public_key))
    return wrong("it does not have the secret key to its public one");
  phase_ = Phase::ready;
  return client;
}

std::string CurveSession::ready(std::string_view metadata) {
  const std::string number = next_number();
  phase_ = Phase::open;
  return "\5READY" + number + closed(metadata, nonce_of("CurveZMQREADY---", number), shared_);
}

Result<CurveSession::Flags> CurveSession::open(std::string& message) {
  const std::size_t head = kMessage.size() + kNumber;
  if (phase_ != Phase::open || message.size() < kOverhead || !message.starts_with(kMessage))
    return wrong("no CURVE message");
  const std::string number = message.substr(kMessage.size(), kNumber);
  if (!takes_number(number)) return wrong("a message was repeated");
  std::uint8_t* const box = bytes_of(message) + head;
  if (crypto_box_open_easy_afternm(box, box, message.size() - head,
                                   nonce_of("CurveZMQMESSAGEC", number).data(), shared_.data()) != 0)
    return wrong("a message was changed on its way");
  const unsigned flags = *box;
  message.erase(0, head + 1);
  message.resize(message.size() - kTag);
  return Flags{(flags & 1U) != 0, (flags & 2U) != 0};
}

std::string CurveSession::seal(std::string_view frame, Flags flags) {
  std::string plain(1, static_cast<char>((flags.more ? 1U : 0U) | (flags.command ? 2U : 0U)));
  plain += frame;
  const std::string number = next_number();
  return std::string(kMessage) + number + closed(plain, nonce_of("CurveZMQMESSAGES", number), shared_);
}

// The numbers of a client increase.
bool CurveSession::takes_number(std::string_view eight_bytes) {
  std::uint64_t number = 0;
  for (const char byte : eight_bytes) number = number << 8U | static_cast<std::uint8_t>(byte);
  if (number <= received_) return false;
  received_ = number;
  return true;
}

std::string CurveSession::next_number() {
  const std::uint64_t number = ++sent_;
  std::string bytes;
  for (int byte = 7; byte >= 0; --byte) bytes += static_cast<char>(number >> (8 * byte) & 255U);
  return bytes;
}

}  // namespace aliquot
