#include "tools/ctl/completion.hpp"

#include <CLI/CLI.hpp>
#include <map>

#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

namespace {

// What may follow a verb, or a group of verbs.
struct Following {
  std::string words;  // options, or the verbs of a group, each after a space
  std::string asks;   // the verb whose answer has the names that the verb takes; empty: none
};

std::string asked_for(const std::string& positional, const std::string& group) {
  if (positional.starts_with("JOB")) return "list";
  if (positional == "NODE") return "node list";
  if (positional == "ACCOUNT") return "accounts";
  return positional == "NAME" && group == "image" ? "image list" : "";
}

Following after(const Verb& verb) {
  CLI::App app;
  (void)verb.declare(app);
  Following out;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) out.words += " --" + name;
    if (option->get_positional()) out.asks = asked_for(option->get_name(true), verb.group);
  }
  return out;
}

// By the words of the command line so far: "", "node", "node list".
std::map<std::string, Following> table() {
  std::map<std::string, Following> out;
  for (const Verb& verb : verbs()) {
    const bool grouped = !verb.group.empty();
    if (!grouped || !out.contains(verb.group)) out[""].words += " " + (grouped ? verb.group : verb.name);
    if (grouped) out[verb.group].words += " " + verb.name;
    out[grouped ? verb.group + " " + verb.name : verb.name] = after(verb);
  }
  return out;
}

// bash and zsh: which verb the words name (what is none is a value, or an argument), and what may follow.
std::string cases(const std::map<std::string, Following>& table) {
  std::string known = "|";
  std::string branches;
  for (const auto& [verb, following] : table) {
    known += verb + "|";
    branches +=
        "    \"" + verb + "\") found=\"" + following.words + "\" asks=\"" + following.asks + "\" ;;\n";
  }
  return "    case \"" + known +
         "\" in *\"|${verb:+$verb }$item|\"*) verb=\"${verb:+$verb }$item\" ;; esac\n"
         "  done\n"
         "  case \"$verb\" in\n" +
         branches + "  esac\n";
}

std::string for_bash() {
  return "_aliquot() {\n"
         "  local word=\"${COMP_WORDS[COMP_CWORD]}\" verb=\"\" found=\"\" asks=\"\" item\n"
         "  for item in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n" +
         cases(table()) +
         "  if [[ -n $asks && $word != -* ]]; then\n"
         "    found+=\" $(aliquot --timeout 1 -o name $asks 2>/dev/null)\"\n"
         "  fi\n"
         "  COMPREPLY=($(compgen -W \"$found\" -- \"$word\"))\n"
         "}\n"
         "complete -o default -F _aliquot aliquot\n";
}

std::string for_zsh() {
  return "#compdef aliquot\n"
         "_aliquot() {\n"
         "  local verb=\"\" found=\"\" asks=\"\" item\n"
         "  for item in \"${(@)words[2,CURRENT-1]}\"; do\n" +
         cases(table()) +
         "  if [[ -n $asks && $words[CURRENT] != -* ]]; then\n"
         "    found+=\" $(aliquot --timeout 1 -o name ${=asks} 2>/dev/null)\"\n"
         "  fi\n"
         "  compadd -- ${=found}\n"
         "  if [[ -n $verb && -z $asks && $words[CURRENT] != -* ]]; then _files; fi\n"
         "}\n"
         "if [[ $funcstack[1] == _aliquot ]]; then _aliquot \"$@\"; else compdef _aliquot aliquot; fi\n";
}

std::string for_fish() {
  std::string known;
  std::string branches;
  for (const auto& [verb, following] : table()) {
    if (!verb.empty()) known += " '" + verb + "'";
    branches += "    case '" + verb + "'\n      set found" + following.words + "\n";
    if (!following.asks.empty()) branches += "      set asks " + following.asks + "\n";
  }
  return "function __aliquot_words\n"
         "  set -l verb\n"
         "  set -l found\n"
         "  set -l asks\n"
         "  for item in (commandline -opc)[2..-1]\n"
         "    if contains -- (string join ' ' -- $verb $item)" +
         known +
         "\n"
         "      set verb (string join ' ' -- $verb $item)\n"
         "    end\n"
         "  end\n"
         "  switch \"$verb\"\n" +
         branches +
         "  end\n"
         "  if set -q asks[1]; and not string match -q -- '-*' (commandline -ct)\n"
         "    set -a found (aliquot --timeout 1 -o name $asks 2>/dev/null)\n"
         "  end\n"
         "  string join \\n -- $found\n"
         "end\n"
         "complete -c aliquot -a '(__aliquot_words)'\n";
}

}  // namespace

std::vector<std::string> completed_shells() { return {"bash", "zsh", "fish"}; }

std::string completion(const std::string& shell) {
  if (shell == "zsh") return for_zsh();
  return shell == "fish" ? for_fish() : for_bash();
}

}  // namespace aliquot::ctl
