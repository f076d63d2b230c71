// ALIQUOT/1, the job API's wire protocol, as pure functions between bytes and values (docs/protocol.md).
// Knows no socket; the ROUTER's identity frame is the caller's. Frames, both ways:
//
//   [empty]?  "ALIQUOT/1"  header (JSON object)  body (JSON object)  blob?
//
// The empty delimiter is what a REQ socket adds and a DEALER leaves out; a reply has one if its request
// had.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manager/api/wire/request.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

inline constexpr const char* kProtocol = "ALIQUOT/1";

using Frames = std::vector<std::string>;

struct RequestHeader {
  std::string id;      // chosen by the client, returned with the reply
  std::string method;  // a key of known_methods()
  std::string ticket;  // what `hello` gave this connection; needed where it matters who asks
  std::string idem;    // the same key: the same request, repeated
  std::optional<std::uint32_t> deadline_ms;  // the client waits no longer than this
};

struct Envelope {
  RequestHeader header;
  Request request;
  std::string body_sha256;  // of body and blob: whether a repeated key repeats the request
  bool delimited = false;
};

// A request that could not be read: what to answer, to whom.
struct Unreadable {
  std::string id;  // empty if even that could not be read
  bool delimited = false;
  Error error;
};

struct Reply {
  std::optional<Error> error;
  std::string body = "{}";  // one JSON object; not sent with an error
  std::string blob{};       // bytes beside it: what `logs` read
};

struct ReplyEnvelope {
  std::string id;
  Reply reply;
  std::string ticket{};  // of the answer to `hello`
};

// Server side.
[[nodiscard]] tl::expected<Envelope, Unreadable> decode_request(const Frames& frames);
[[nodiscard]] Frames encode_reply(const ReplyEnvelope& reply, bool delimited);

// Client side; header.method is set from the request.
[[nodiscard]] Frames encode_request(RequestHeader header, const Request& request);
[[nodiscard]] Result<ReplyEnvelope> decode_reply(const Frames& frames);

// What the wire calls this request.
[[nodiscard]] std::string method_name(const Request& request);
[[nodiscard]] const std::vector<std::string>& known_methods();

}  // namespace aliquot
