// ALIQUOT/1, the wire protocol of the job API (docs/protocol.md), as pure functions between frames and
// values. Independent of sockets: the caller knows the connection. Frames in both
// directions:
//
//   [empty]?  "ALIQUOT/1"  header (JSON object)  body (JSON object)  blob?
//
// A REQ socket adds the empty delimiter, a DEALER does not; a reply has one if its request had.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manager/api/wire/request.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

inline constexpr const char* kProtocol = "ALIQUOT/1";

using Frames = std::vector<std::string>;
using FrameViews = std::vector<std::string_view>;

struct RequestHeader {
  std::string id;      // chosen by the client; returned with the reply
  std::string method;  // a key of known_methods()
  std::string ticket;  // from the reply to `hello`; required if the method needs an identity
  std::string idem;    // idempotency key: the same key repeats the same request
  std::optional<std::uint32_t> deadline_ms;  // the client waits no longer than this after `sent_us`
  std::optional<std::int64_t> sent_us;       // Unix time; none, or over TCP: when the manager reads it
};

struct Envelope {
  RequestHeader header;
  Request request;
  std::string body_sha256;  // of method and body: detects a repeated key with another request
  bool delimited = false;
  bool has_blob = false;  // the last frame
};

// A request that could not be decoded: the error for the reply, and its id if known.
struct Unreadable {
  std::string id;  // empty if the id could not be decoded either
  bool delimited = false;
  Error error;
};

struct Reply {
  std::optional<Error> error;
  std::string body = "{}";  // one JSON object; not sent with an error
  std::string blob{};       // bytes of the answer to `logs`
};

struct ReplyEnvelope {
  std::string id;
  Reply reply;
  std::string ticket{};  // in the reply to `hello`
};

// Server side. The blob frame must be there if the request names one; it is not hashed. In place, it is not
// copied either: Submit::archive stays empty.
[[nodiscard]] tl::expected<Envelope, Unreadable> decode_request(const Frames& frames);
[[nodiscard]] tl::expected<Envelope, Unreadable> decode_in_place(const FrameViews& frames);
// Hashes the archive: takes a third of a second for 100 MB.
[[nodiscard]] Result<void> check_archive(std::string_view archive, std::string_view named_sha256);
[[nodiscard]] Frames encode_reply(const ReplyEnvelope& reply, bool delimited);

// Client side; header.method is set from the request.
[[nodiscard]] Frames encode_request(RequestHeader header, const Request& request);
[[nodiscard]] Result<ReplyEnvelope> decode_reply(const Frames& frames);

// The method name of this request on the wire.
[[nodiscard]] std::string method_name(const Request& request);
[[nodiscard]] const std::vector<std::string>& known_methods();

}  // namespace aliquot
