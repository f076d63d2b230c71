// Requests and answers of HTTP/1.1 as text, as far as a read-only server of small pages needs them: GET and
// HEAD, no bodies in requests. Pure.
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
  bool head_only = false;   // HEAD
  bool keep_alive = false;  // the client may send another request on this connection
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

}  // namespace aliquot
