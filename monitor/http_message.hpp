// Requests and answers of HTTP/1.1 as text, as far as a server of small pages needs them: GET, HEAD, and
// POST with a body of a stated length. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "policies/model/error.hpp"

namespace aliquot {

using HttpParameters = std::multimap<std::string, std::string>;

struct HttpRequest {
  std::string path;  // decoded, without the query
  HttpParameters parameters;
  bool head_only = false;      // HEAD
  bool posts = false;          // POST
  bool keep_alive = false;     // the client may send another request on this connection
  std::size_t body_bytes = 0;  // of a POST
  // Header fields, without blanks around them; empty: there is none.
  std::string authorization{};
  std::string origin{};
  std::string host{};
  std::string last_event_id{};
};

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

// `head`: the request line and the header lines, each with its CR LF, without the empty line. The error is
// the answer to a request that cannot be served.
[[nodiscard]] tl::expected<HttpRequest, HttpAnswer> parse_http_head(std::string_view head);

[[nodiscard]] std::string encode_http_answer(const HttpAnswer& answer, bool head_only, bool keep_alive);

// What goes before the messages of a stream of server-sent events.
[[nodiscard]] std::string encode_stream_head();

}  // namespace aliquot
