#include "monitor/http_message.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace aliquot {
namespace {

// A page may load resources from this port only, and no page may frame it.
constexpr std::string_view kSecurityHeaders =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cache-Control: no-store\r\n";

HttpAnswer refusal(int status, std::string words) {
  HttpAnswer answer;
  answer.status = status;
  answer.body = std::move(words) + "\n";
  return answer;
}

std::string_view reason_phrase(int status) {
  constexpr std::pair<int, std::string_view> phrases[] = {
      {200, "OK"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {409, "Conflict"},
      {411, "Length Required"},
      {413, "Content Too Large"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {503, "Service Unavailable"},
      {504, "Gateway Timeout"},
  };
  for (const auto& [code, phrase] : phrases)
    if (code == status) return phrase;
  return "Unknown";
}

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

std::string decoded(std::string_view text, bool plus_is_blank) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      const auto high = hex_digit(text[i + 1]);
      const auto low = hex_digit(text[i + 2]);
      if (high && low) {
        out += static_cast<char>(*high * 16 + *low);
        i += 2;
        continue;
      }
    }
    out += text[i] == '+' && plus_is_blank ? ' ' : text[i];
  }
  return out;
}

// Up to the separator, which is removed with it; all of it if there is none.
std::string_view take_until(std::string_view& text, std::string_view separator) {
  const std::size_t at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + separator.size());
  return part;
}

HttpParameters parse_query(std::string_view query) {
  HttpParameters parameters;
  while (!query.empty()) {
    std::string_view value = take_until(query, "&");
    const std::string_view name = take_until(value, "=");
    parameters.emplace(decoded(name, true), decoded(value, true));
  }
  return parameters;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

// False: the length of the body is no number.
bool read_length(std::string_view value, HttpRequest& request) {
  const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), request.body_bytes);
  return error == std::errc{} && stop == value.data() + value.size();
}

// A body that is not read leaves a connection on which nothing can follow. Empty: the field is understood.
std::string_view read_field(std::string_view line, HttpRequest& request, bool& has_length) {
  const std::string name = lower(take_until(line, ":"));
  const std::string_view value = trimmed(line);
  if (name == "connection" && lower(value).find("close") != std::string::npos) request.keep_alive = false;
  if (name == "authorization") request.authorization = value;
  if (name == "origin") request.origin = value;
  if (name == "host") request.host = value;
  if (name == "last-event-id") request.last_event_id = value;
  if (name != "content-length" && name != "transfer-encoding") return {};
  if (!request.posts) request.keep_alive = false;
  if (!request.posts) return {};
  if (name == "transfer-encoding" || has_length) return "a body needs one Content-Length";
  has_length = true;
  return read_length(value, request) ? "" : "the Content-Length is no number";
}

}  // namespace

tl::expected<HttpRequest, HttpAnswer> parse_http_head(std::string_view head) {
  std::string_view line = take_until(head, "\r\n");
  const std::string_view method = take_until(line, " ");
  std::string_view target = take_until(line, " ");
  const std::string_view version = line;
  if (!version.starts_with("HTTP/1.") || !target.starts_with('/'))
    return tl::unexpected(refusal(400, "this is no HTTP/1.1 request for a path"));
  if (method != "GET" && method != "HEAD" && method != "POST")
    return tl::unexpected(refusal(405, "only GET, HEAD and POST are served here"));
  HttpRequest request;
  request.head_only = method == "HEAD";
  request.posts = method == "POST";
  request.path = decoded(take_until(target, "?"), false);
  request.parameters = parse_query(target);
  request.keep_alive = version != "HTTP/1.0";
  bool has_length = false;
  while (!head.empty())
    if (const auto wrong = read_field(take_until(head, "\r\n"), request, has_length); !wrong.empty())
      return tl::unexpected(refusal(411, std::string(wrong)));
  if (request.posts && !has_length) return tl::unexpected(refusal(411, "a body needs a Content-Length"));
  return request;
}

std::string encode_http_answer(const HttpAnswer& answer, bool head_only, bool keep_alive) {
  std::string out = "HTTP/1.1 " + std::to_string(answer.status) + " ";
  out += reason_phrase(answer.status);
  out += "\r\nContent-Type: " + answer.type + "\r\nContent-Length: " + std::to_string(answer.body.size());
  out += answer.status == 405 ? "\r\nAllow: GET, HEAD, POST\r\n" : "\r\n";
  out += kSecurityHeaders;
  out += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  if (!head_only) out += answer.body;
  return out;
}

std::string encode_stream_head() {
  std::string out = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n";
  out += kSecurityHeaders;
  // A proxy before it is not to keep messages back.
  out += "X-Accel-Buffering: no\r\nConnection: close\r\n\r\nretry: 1000\n\n";
  return out;
}

}  // namespace aliquot
