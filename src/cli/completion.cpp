#include "cli/completion.h"

#include <vector>

#include "tonnx.hpp"

namespace tonnx::cli {
namespace {

struct Flag {
  std::string name;  // without dashes
  bool is_long = true;
  bool takes_value = false;
  std::string description;

  std::string text() const { return (is_long ? "--" : "-") + name; }
};

struct Command {
  std::string name;
  std::string description;
  std::vector<Flag> flags;
};

// The first sentence or clause, which fits on a line of the shell's list.
std::string summary(const std::string& description) {
  std::size_t end = description.find_first_of(".;:\n");
  // A dot inside a name does not end a sentence.
  while (end != std::string::npos && end + 1 < description.size() && description[end] != '\n' &&
         description[end + 1] != ' ')
    end = description.find_first_of(".;:\n", end + 1);
  return description.substr(0, end);
}

std::vector<Command> commands_of(const CLI::App& app) {
  std::vector<Command> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    std::vector<Flag> flags;
    for (const CLI::Option* option : command->get_options()) {
      const bool takes_value = option->get_items_expected_max() > 0;
      const std::string description = summary(option->get_description());
      for (const std::string& name : option->get_snames()) flags.push_back({name, false, takes_value, description});
      for (const std::string& name : option->get_lnames()) flags.push_back({name, true, takes_value, description});
    }
    commands.push_back({command->get_name(), summary(command->get_description()), std::move(flags)});
  }
  return commands;
}

// A word in single quotes, for all three shells. `escaped_quote` is how the shell writes a quote inside one.
std::string quoted(const std::string& word, const char* escaped_quote) {
  std::string result = "'";
  for (const char c : word) c == '\'' ? result += escaped_quote : result += c;
  return result + "'";
}

std::string bash_script(const std::vector<Command>& commands) {
  std::string names, cases;
  for (const Command& command : commands) {
    std::string flags;
    for (const Flag& flag : command.flags) flags += (flags.empty() ? "" : " ") + flag.text();
    names += (names.empty() ? "" : " ") + command.name;
    cases += "    " + command.name + ") options='" + flags + "' ;;\n";
  }
  return "_tonnx() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} options=\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    mapfile -t COMPREPLY < <(compgen -W '" +
         names +
         " --help --version' -- \"$word\")\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  [[ $word != -* ]] || mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
         "}\n"
         "complete -o default -F _tonnx tonnx\n";
}

std::string zsh_script(const std::vector<Command>& commands) {
  // _describe separates a name and its description by a colon.
  const auto entry = [](const std::string& name, const std::string& description) {
    return " " + quoted(name + ":" + description, "'\\''");
  };
  std::string names, cases;
  for (const Command& command : commands) {
    names += entry(command.name, command.description);
    cases += "    " + command.name + ") options=(";
    for (const Flag& flag : command.flags) cases += entry(flag.text(), flag.description);
    cases += ") ;;\n";
  }
  return "#compdef tonnx\n"
         "_tonnx() {\n"
         "  local -a commands options\n"
         "  commands=(" +
         names +
         ")\n"
         "  if ((CURRENT == 2)); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  case $words[2] in\n" +
         cases +
         "  esac\n"
         "  if [[ $PREFIX == -* ]]; then _describe option options; else _files; fi\n"
         "}\n"
         "if [[ $funcstack[1] == _tonnx ]]; then _tonnx \"$@\"; else compdef _tonnx tonnx; fi\n";
}

std::string fish_script(const std::vector<Command>& commands) {
  std::string script;
  for (const Command& command : commands)
    script += "complete -c tonnx -n __fish_use_subcommand -f -a " + command.name + " -d " +
              quoted(command.description, "\\'") + "\n";
  for (const Command& command : commands)
    for (const Flag& flag : command.flags)
      script += "complete -c tonnx -n '__fish_seen_subcommand_from " + command.name + "' " +
                (flag.is_long ? "-l " : "-s ") + flag.name + (flag.takes_value ? " -r" : "") + " -d " +
                quoted(flag.description, "\\'") + "\n";
  return script;
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& shell) {
  const std::vector<Command> commands = commands_of(app);
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  throw Error(TONNX_STATUS_ARGUMENT, "completion '" + shell + "': one of bash, zsh, fish");
}

}  // namespace tonnx::cli
