#include "tools/ctl/completion.hpp"

#include <CLI/CLI.hpp>
#include <map>

#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

namespace {

// The long options that a verb declares.
std::string options_of(const Verb& verb) {
  CLI::App app;
  (void)verb.declare(app);
  std::string out;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) out += (out.empty() ? "--" : " --") + name;
  return out;
}

}  // namespace

std::string bash_completion() {
  std::string first;
  std::map<std::string, std::string> groups;
  std::string cases;
  for (const Verb& verb : verbs()) {
    const std::string path = verb.group.empty() ? verb.name : verb.group + " " + verb.name;
    if (verb.group.empty()) first += " " + verb.name;
    if (!verb.group.empty()) {
      if (groups.find(verb.group) == groups.end()) first += " " + verb.group;
      groups[verb.group] += " " + verb.name;
    }
    cases += "    \"" + path + "\") words=\"" + options_of(verb) + "\" ;;\n";
  }
  for (const auto& [group, names] : groups) cases += "    \"" + group + "\") words=\"" + names + "\" ;;\n";
  return "_aliquot() {\n"
         "  local word=\"${COMP_WORDS[COMP_CWORD]}\" path=\"\" words=\"\" i\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    [[ ${COMP_WORDS[i]} == -* ]] || path+=\"${path:+ }${COMP_WORDS[i]}\"\n"
         "  done\n"
         "  case \"$path\" in\n"
         "    \"\") words=\"" +
         first + "\" ;;\n" + cases +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "}\n"
         "complete -o default -F _aliquot aliquot\n";
}

}  // namespace aliquot::ctl
