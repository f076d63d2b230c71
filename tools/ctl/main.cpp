// aliquot: the command line of operators and users.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "manager/api/wire/error_names.hpp"
#include "tools/ctl/command_line.hpp"

namespace {

int run(std::vector<std::string> arguments) {
  using namespace aliquot;
  const auto config =
      ctl::read_client_config(ctl::client_config_path(std::getenv("XDG_CONFIG_HOME"), std::getenv("HOME")));
  if (!config) {
    ctl::Session::say("aliquot: " + config.error().message);
    return exit_code(config.error().kind);
  }
  auto parsed = ctl::parse_command_line(std::move(arguments), *config);
  if (const auto* leave = std::get_if<ctl::Leave>(&parsed)) {
    if (leave->exit_code == kExitDone)
      ctl::print(leave->text);
    else
      ctl::Session::say("aliquot: " + leave->text);
    return leave->exit_code;
  }
  auto& chosen = std::get<ctl::Chosen>(parsed);
  ctl::Session session;
  session.globals = chosen.globals;
  const auto code = chosen.run(session);
  if (code) return *code;
  ctl::Session::say("aliquot: " + code.error().message);
  return exit_code(code.error().kind);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (
      const std::exception& e) {  // an answer of another shape than docs/protocol.md says, or no memory
    std::fprintf(stderr, "aliquot: the manager's answer is not understood (%s); are both of one version?\n",
                 e.what());
    return aliquot::exit_code(aliquot::ErrorKind::internal);
  }
}
