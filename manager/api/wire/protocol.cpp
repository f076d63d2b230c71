#include "manager/api/wire/protocol.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "manager/api/wire/error_names.hpp"
#include "manager/api/wire/fields.hpp"
#include "manager/api/wire/message_text.hpp"
#include "manager/api/wire/request_codec.hpp"
#include "manager/api/wire/strict_json.hpp"
#include "monitor/sha256.hpp"

namespace aliquot {

using nlohmann::json;
using namespace wire;

namespace {

constexpr JsonBounds kHeader{.bytes = 4096, .depth = 3, .values = 64};
constexpr JsonBounds kReplyBody{.bytes = 64 << 20, .depth = 64, .values = 50'000'000};
constexpr std::int64_t kLatestUnixUs = 253'402'300'799'999'999;  // the end of the year 9999
constexpr std::string_view kFrameOrder =
    "; send "
    "\"ALIQUOT/1\", a JSON header, a JSON body and, if there is one, a blob";

// The frames from the protocol name on; checks their number.
Result<std::size_t> first_frame(const FrameViews& frames) {
  const std::size_t first = !frames.empty() && frames[0].empty() ? 1 : 0;
  const std::size_t count = frames.size() - first;
  if (count == 0)
    return fail(ErrorKind::invalid_argument, "the message is empty" + std::string(kFrameOrder));
  const std::string_view name = frames[first];
  if (name != kProtocol) {
    const bool other_version = name.starts_with("ALIQUOT/");
    return fail(other_version ? ErrorKind::unsupported : ErrorKind::invalid_argument,
                "the first frame is " + in_quotes(name) + ", not `ALIQUOT/1`" +
                    (other_version ? "; this side speaks version 1 only" : std::string(kFrameOrder)));
  }
  if (count == 1)
    return fail(ErrorKind::invalid_argument, "the header frame is missing" + std::string(kFrameOrder));
  if (count == 2)
    return fail(ErrorKind::invalid_argument, "the body frame is missing" + std::string(kFrameOrder));
  if (count > 4)
    return fail(ErrorKind::invalid_argument,
                "the message has " + std::to_string(count) + " frames" + std::string(kFrameOrder));
  return first;
}

bool is_key(const std::string& text) {
  constexpr auto kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:";
  return text.find_first_not_of(kAllowed) == std::string::npos;
}

// Unknown fields of a header are ignored: a newer client may send more.
Result<RequestHeader> read_header(std::string_view text, std::string& id) {
  const auto parsed = parse_object(text, "the header", kHeader);
  if (!parsed) return tl::unexpected<Error>(parsed.error());
  json known = json::object();
  for (const char* key : {"id", "method", "ticket", "idem", "deadline_ms", "sent_us"})
    if (const auto at = parsed->find(key); at != parsed->end()) known[key] = *at;
  Fields fields(known, "header.");
  RequestHeader header;
  header.id = fields.text("id", 1, 64, Need::required);
  if (!is_key(header.id))
    fields.fault("id", "may hold letters, digits and - _ . : only");
  else
    id = header.id;
  header.method = fields.text("method", 1, 64, Need::required);
  header.ticket = fields.text("ticket", 0, 64, Need::optional);
  header.idem = fields.text("idem", 0, 64, Need::optional);
  if (!is_key(header.idem)) fields.fault("idem", "may hold letters, digits and - _ . : only");
  if (const auto ms = fields.optional_integer("deadline_ms", 1, 86'400'000))
    header.deadline_ms = static_cast<std::uint32_t>(*ms);
  header.sent_us = fields.optional_integer("sent_us", 0, kLatestUnixUs);
  if (auto read = fields.finish(); !read) return tl::unexpected<Error>(read.error());
  return header;
}

}  // namespace

tl::expected<Envelope, Unreadable> decode_in_place(const FrameViews& frames) {
  Unreadable bad;
  bad.delimited = !frames.empty() && frames[0].empty();
  const auto stop = [&bad](Error error) {
    bad.error = std::move(error);
    return tl::unexpected<Unreadable>(bad);
  };
  const auto first = first_frame(frames);
  if (!first) return stop(first.error());
  auto header = read_header(frames[*first + 1], bad.id);
  if (!header) return stop(header.error());
  const std::string_view body = frames[*first + 2];
  const std::string_view blob = frames.size() > *first + 3 ? frames[*first + 3] : std::string_view();
  auto request = decode_payload(header->method, body, blob);
  if (!request) return stop(request.error());
  std::string hash = sha256_hex(header->method + "\n" + std::string(body));
  if (auto* submit = std::get_if<Submit>(&*request)) {
    submit->idempotency_key = header->idem;
    if (submit->archive_file.empty()) submit->archive_bytes = blob.size();
  }
  if (auto* many = std::get_if<SubmitMany>(&*request)) {
    many->idempotency_key = header->idem;
    many->archive_bytes = blob.size();
  }
  return Envelope{std::move(*header), std::move(*request), std::move(hash), bad.delimited, !blob.empty()};
}

tl::expected<Envelope, Unreadable> decode_request(const Frames& frames) {
  auto envelope = decode_in_place({frames.begin(), frames.end()});
  if (!envelope) return envelope;
  if (auto* submit = std::get_if<Submit>(&envelope->request); submit && envelope->has_blob)
    submit->archive = frames.back();
  if (auto* many = std::get_if<SubmitMany>(&envelope->request); many && envelope->has_blob)
    many->archive = frames.back();
  return envelope;
}

Result<void> check_archive(std::string_view archive, std::string_view named_sha256) {
  const std::string hash = sha256_hex(archive);
  if (hash == named_sha256) return {};
  return fail(ErrorKind::invalid_argument, "the archive's SHA-256 is " + hash +
                                               ", not what field `program.archive_sha256` says; send it "
                                               "again");
}

Frames encode_request(RequestHeader header, const Request& request) {
  json h{{"id", header.id}, {"method", method_name(request)}};
  if (!header.ticket.empty()) h["ticket"] = header.ticket;
  const auto* submit = std::get_if<Submit>(&request);
  if (submit != nullptr && !submit->idempotency_key.empty()) header.idem = submit->idempotency_key;
  const auto* many = std::get_if<SubmitMany>(&request);
  if (many != nullptr && !many->idempotency_key.empty()) header.idem = many->idempotency_key;
  if (!header.idem.empty()) h["idem"] = header.idem;
  if (header.deadline_ms) h["deadline_ms"] = *header.deadline_ms;
  if (header.sent_us) h["sent_us"] = *header.sent_us;
  Payload payload = encode_payload(request);
  Frames frames{kProtocol, to_line(h), std::move(payload.body)};
  if (!payload.blob.empty()) frames.push_back(std::move(payload.blob));
  return frames;
}

Frames encode_reply(const ReplyEnvelope& envelope, bool delimited) {
  const Reply& reply = envelope.reply;
  json header{{"id", envelope.id}, {"code", "ok"}};
  if (!envelope.ticket.empty()) header["ticket"] = envelope.ticket;
  if (reply.error) {
    header["code"] = std::string(wire_name(reply.error->kind));
    header["message"] = reply.error->message;
  }
  Frames frames;
  if (delimited) frames.emplace_back();
  frames.emplace_back(kProtocol);
  frames.push_back(to_line(header));
  frames.push_back(reply.error ? "{}" : reply.body);
  if (!reply.error && !reply.blob.empty()) frames.push_back(reply.blob);
  return frames;
}

Result<ReplyEnvelope> decode_reply(const Frames& frames) {
  const auto first = first_frame({frames.begin(), frames.end()});
  if (!first) return tl::unexpected<Error>(first.error());
  constexpr JsonBounds bounds{.bytes = 64 << 10, .depth = 8, .values = 256};
  const auto header = parse_object(frames[*first + 1], "the reply's header", bounds);
  if (!header) return tl::unexpected<Error>(header.error());
  const auto text = [&header](const char* key) {
    const auto at = header->find(key);
    return at != header->end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  ReplyEnvelope out;
  out.id = text("id");
  out.ticket = text("ticket");
  if (const std::string code = text("code"); code != "ok") {
    const auto kind = error_kind(code);
    out.reply.error =
        Error{kind.value_or(ErrorKind::internal),
              kind ? text("message") : "unknown code " + in_quotes(code) + ": " + text("message")};
    return out;
  }
  const auto body = parse_object(frames[*first + 2], "the reply's body", kReplyBody);
  if (!body) return tl::unexpected<Error>(body.error());
  out.reply.body = frames[*first + 2];
  if (frames.size() > *first + 3) out.reply.blob = frames[*first + 3];
  return out;
}

}  // namespace aliquot
