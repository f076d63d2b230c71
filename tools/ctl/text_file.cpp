#include "tools/ctl/text_file.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

namespace aliquot::ctl {
namespace {

Result<void> write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return {};
  return fail(ErrorKind::unavailable, "cannot write " + path + "; name another file with --to");
}

}  // namespace

Result<int> export_csv(Session& session, const Request& request, const std::string& path) {
  const auto answer = session.ask(request);
  if (!answer) return tl::unexpected<Error>(answer.error());
  const std::string text = answer->body["csv"].get<std::string>();
  if (!path.empty())
    if (auto written = write_file(path, text); !written) return tl::unexpected<Error>(written.error());
  const auto shown = [&](bool) { return path.empty() ? text : "wrote " + path + "\n"; };
  return session.show(answer->body, {shown, [] { return std::vector<std::string>{}; }});
}

}  // namespace aliquot::ctl
