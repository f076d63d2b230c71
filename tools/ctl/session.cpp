#include "tools/ctl/session.hpp"

#include <cstdio>

namespace aliquot::ctl {

Result<Answer> Session::ask(Request request) {
  if (!client_) client_ = std::make_unique<Client>(ClientSettings{globals.server, globals.timeout});
  auto reply = client_->ask(std::move(request));
  if (!reply) return tl::unexpected<Error>(reply.error());
  // Already known to be JSON: decode_reply has read it.
  return Answer{nlohmann::json::parse(reply->body, nullptr, false), std::move(reply->blob)};
}

Result<nlohmann::json> Session::hello() {
  if (hello_.is_null()) {
    auto answer = ask(Hello{});
    if (!answer) return tl::unexpected<Error>(answer.error());
    hello_ = std::move(answer->body);
  }
  return hello_;
}

Result<int> Session::show(const nlohmann::json& answer, const Looks& looks) const {
  const auto text = in_form(globals.form, answer, looks);
  if (!text) return tl::unexpected<Error>(text.error());
  print(*text);
  return 0;
}

void Session::say(const std::string& words) { std::fprintf(stderr, "%s\n", words.c_str()); }

bool print(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

}  // namespace aliquot::ctl
