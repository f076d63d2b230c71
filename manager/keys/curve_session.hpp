// CURVE (RFC 26 of ZeroMQ) as the server of one connection speaks it: the handshake, by which each side
// proves that it has its secret key, and then frames that only the two can read, and that cannot be
// changed, repeated or reordered on their way. Bytes to bytes; which key may come in is the caller's
// decision. The cryptography is libsodium's.
//
//   client: HELLO                 a short-term key of this connection
//   server: WELCOME               the same, and a cookie
//   client: INITIATE              its public key, and the proof that it has the secret one
//   server: READY                 the client is let in
//   both:   MESSAGE ...           frames, with increasing numbers
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manager/keys/curve_keys.hpp"

namespace aliquot {

class CurveSession {
 public:
  // What a message adds to the bytes of a frame.
  static constexpr std::size_t kOverhead = 8 + 8 + 16 + 1;

  // Of the server's long-term keys; they outlive the session.
  explicit CurveSession(const CurveKeys& server) : server_(server) {}
  CurveSession(const CurveSession&) = delete;
  CurveSession& operator=(const CurveSession&) = delete;
  ~CurveSession();

  // The commands of the handshake, as they come and as they are answered. An error of any kind is the
  // client's, and ends the connection: it has another server's key, or not its own secret one, or repeats
  // what another client has sent.
  [[nodiscard]] Result<std::string> welcome(std::string_view hello);
  [[nodiscard]] Result<CurveKey> initiate(std::string_view initiate);  // the client's public key
  // READY with the socket's metadata; from then on there are frames.
  [[nodiscard]] std::string ready(std::string_view metadata);
  [[nodiscard]] bool is_open() const { return phase_ == Phase::open; }

  struct Flags {
    bool more = false;
    bool command = false;
  };
  // Puts the frame that a MESSAGE holds into its place. An error: it was changed or repeated.
  [[nodiscard]] Result<Flags> open(std::string& message);
  [[nodiscard]] std::string seal(std::string_view frame, Flags flags);

 private:
  enum class Phase { hello, initiate, ready, open };
  using Shared = std::array<std::uint8_t, 32>;  // of two keys, as crypto_box has it
  [[nodiscard]] bool takes_number(std::string_view eight_bytes);
  [[nodiscard]] std::string next_number();

  const CurveKeys& server_;
  Phase phase_ = Phase::hello;
  CurveKeys short_term_{};
  CurveKey client_short_term_{};
  std::string cookie_;
  Shared shared_{};  // of the two short-term keys
  std::uint64_t received_ = 0;
  std::uint64_t sent_ = 0;
};

}  // namespace aliquot
