#include "app/completion.h"

#include "tpu_admission/base/text.h"

namespace tpu_admission::app {
namespace {

// "policy test" is completed word by word: only commands of one word are offered first.
bool IsFirst(const CommandRow& command) { return command.name.find(' ') == command.name.npos; }
std::string FirstWord(const CommandRow& command) {
  return command.name.substr(0, command.name.find(' '));
}

std::vector<std::string> FirstWords(const std::vector<CommandRow>& commands) {
  std::vector<std::string> words;
  for (const CommandRow& command : commands) {
    if (IsFirst(command)) words.push_back(command.name);
  }
  return words;
}

// Flags, subcommands and listed arguments of all rows that begin with `word`.
std::vector<std::string> WordsAfter(const std::vector<CommandRow>& commands,
                                    const std::string& word) {
  std::vector<std::string> words;
  for (const CommandRow& command : commands) {
    if (FirstWord(command) != word) continue;
    if (!IsFirst(command)) words.push_back(command.name.substr(word.size() + 1));
    for (const FlagRow& flag : command.flags) words.push_back(flag.name);
    for (const FlagRow& argument : command.arguments) {
      words.insert(words.end(), argument.values.begin(), argument.values.end());
    }
  }
  return words;
}

bool ReadsFiles(const std::vector<CommandRow>& commands, const std::string& word) {
  for (const CommandRow& command : commands) {
    if (FirstWord(command) != word) continue;
    for (const FlagRow& argument : command.arguments) {
      if (argument.TakesFile()) return true;
    }
  }
  return false;
}

// The line of a `case` of bash for what follows a flag that takes a value.
std::string BashValue(const CommandRow& command, const FlagRow& flag) {
  if (flag.type.empty()) return "";
  const std::string words = flag.values.empty() ? "" : "words='" + Joined(flag.values, " ") + "' ";
  return "    '" + FirstWord(command) + " " + flag.name + "') " + words +
         (flag.TakesFile() ? "files=1 " : "") + ";;\n";
}

// With a backslash before each of `marks`.
std::string Escaped(std::string_view text, std::string_view marks) {
  std::string escaped;
  for (const char c : text) {
    if (marks.find(c) != marks.npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// For single quotes of zsh, where `marks` mean something to who reads the word.
std::string ZshText(std::string_view text, std::string_view marks) {
  std::string quoted;
  for (const char c : Escaped(text, marks)) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted;
}

std::string ZshAction(const FlagRow& row) {
  if (!row.values.empty()) return "(" + Joined(row.values, " ") + ")";
  return row.TakesFile() ? "_files" : " ";
}

std::string ZshArguments(const std::vector<CommandRow>& commands, const std::string& word) {
  std::string lines;
  for (const CommandRow& command : commands) {
    if (FirstWord(command) != word) continue;
    if (!IsFirst(command))
      lines += " \\\n        '1:command:(" + command.name.substr(word.size() + 1) + ")'";
    for (const FlagRow& flag : command.flags) {
      lines += " \\\n        '" + flag.name + (flag.type.empty() ? "" : "=") + "[" +
               ZshText(flag.what, "[]:\\") + "]";
      if (!flag.type.empty()) lines += ":" + flag.type + ":" + ZshAction(flag);
      lines += "'";
    }
    for (const FlagRow& argument : command.arguments) {
      lines += " \\\n        '*:" + argument.name + ":" + ZshAction(argument) + "'";
    }
  }
  return lines;
}

std::string FishLine(const std::string& condition, const std::string& rest) {
  return "complete -c tpu-admission -n '" + condition + "' " + rest + "\n";
}

std::string FishValue(const FlagRow& row) {
  if (!row.values.empty()) return " -x -a '" + Joined(row.values, " ") + "'";
  return row.TakesFile() ? " -r -F" : " -x";
}

}  // namespace

std::string BashCompletion(const std::vector<CommandRow>& commands) {
  std::string script =
      "# bash completion of tpu-admission; written by: tpu-admission completion bash\n"
      "_tpu_admission() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words='' files=''\n"
      "  local command=${COMP_WORDS[1]-}\n"
      "  if [[ $cur == '=' ]]; then cur=''; elif [[ $prev == '=' ]]; then "
      "prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '" +
      Joined(FirstWords(commands), " ") +
      " --help --version' -- \"$cur\"))\n    return\n  fi\n  case \"$command $prev\" in\n";
  for (const CommandRow& command : commands) {
    for (const FlagRow& flag : command.flags) script += BashValue(command, flag);
  }
  script += "    *) case $command in\n";
  for (const std::string& word : FirstWords(commands)) {
    script += "      " + word + ") words='" + Joined(WordsAfter(commands, word), " ") + "' " +
              (ReadsFiles(commands, word) ? "files=1 " : "") + ";;\n";
  }
  return script +
         "    esac ;;\n  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  if [[ -n $files && $cur != -* ]]; then\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    local file\n"
         "    while IFS= read -r file; do COMPREPLY+=(\"$file\"); done < <(compgen -f -- "
         "\"$cur\")\n"
         "  fi\n}\ncomplete -F _tpu_admission tpu-admission kubectl-tpu\n";
}

std::string ZshCompletion(const std::vector<CommandRow>& commands) {
  std::string script =
      "#compdef tpu-admission kubectl-tpu\n"
      "# zsh completion of tpu-admission; written by: tpu-admission completion zsh\n"
      "_tpu_admission() {\n  local -a commands\n  commands=(\n";
  for (const CommandRow& command : commands) {
    if (IsFirst(command)) {
      script += "    '" + command.name + ":" + ZshText(command.what, ":\\") + "'\n";
    }
  }
  script +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const std::string& word : FirstWords(commands)) {
    script += "    " + word + ")\n      _arguments" + ZshArguments(commands, word) + "\n      ;;\n";
  }
  return script +
         "  esac\n}\n"
         "if [[ $funcstack[1] == _tpu-admission ]]; then _tpu_admission \"$@\"; else "
         "compdef _tpu_admission tpu-admission kubectl-tpu; fi\n";
}

std::string FishCompletion(const std::vector<CommandRow>& commands) {
  std::string script =
      "# fish completion of tpu-admission; written by: tpu-admission completion fish\n"
      "complete -c tpu-admission -f\ncomplete -c kubectl-tpu -w tpu-admission\n";
  for (const CommandRow& command : commands) {
    const std::string first = FirstWord(command);
    const std::string after = "__fish_seen_subcommand_from " + first;
    script += FishLine(IsFirst(command) ? "__fish_use_subcommand" : after,
                       "-a " + command.name.substr(IsFirst(command) ? 0 : first.size() + 1) +
                           " -d '" + Escaped(command.what, "'\\") + "'");
    for (const FlagRow& flag : command.flags) {
      script += FishLine(after, "-l " + flag.name.substr(2) + " -d '" + Escaped(flag.what, "'\\") +
                                    "'" + (flag.type.empty() ? "" : FishValue(flag)));
    }
    for (const FlagRow& argument : command.arguments) {
      if (argument.TakesFile()) script += FishLine(after, "-F");
      if (!argument.values.empty()) {
        script += FishLine(after, "-a '" + Joined(argument.values, " ") + "'");
      }
    }
  }
  return script;
}

}  // namespace tpu_admission::app
