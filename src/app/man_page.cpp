#include "app/man_page.h"

#include <algorithm>
#include <string_view>

#include "tpu_admission/base/version.h"

namespace tpu_admission::app {
namespace {

constexpr std::string_view kExitCodes =
    ".SH EXIT STATUS\n0: done. 1: findings, of the commands that look for them. "
    "2: it could not start or run.\n";

// As roff shows it: a minus is a minus, and no line begins with a request.
std::string Roff(std::string_view text) {
  std::string roff;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (roff.empty() || roff.back() == '\n')) roff += "\\&";
    if (c == '-' || c == '\\') roff += '\\';
    roff += c == '\\' ? "e" : std::string(1, c);
  }
  return roff;
}

std::string Dashed(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string Head(const std::string& name, const std::string& what) {
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return ".TH " + Roff(upper) + " 1 \"\" \"tpu-admission " + Roff(Version()) +
         "\" \"User Commands\"\n.SH NAME\n" + Roff(name) + " \\- " + Roff(what) + "\n";
}

std::string Item(const std::string& term, const std::string& text) {
  return ".TP\n" + term + "\n" + Roff(text) + "\n";
}

std::string FlagItem(const FlagRow& flag) {
  std::string text = flag.what;
  if (!flag.values.empty()) {
    text += flag.what.empty() ? "One of:" : "; one of:";
    for (const std::string& value : flag.values) text += " " + value;
  }
  if (!flag.default_value.empty()) text += ". Default: " + flag.default_value;
  if (!flag.environment.empty()) text += ". Environment: " + flag.environment;
  const std::string also = flag.short_name.empty() ? "" : "\\fB" + Roff(flag.short_name) + "\\fR, ";
  return Item(also + "\\fB" + Roff(flag.name) + "\\fR" +
                  (flag.type.empty() ? "" : " \\fI" + Roff(flag.type) + "\\fR"),
              text + ".");
}

std::string Synopsis(const CommandRow& command) {
  std::string line =
      ".SH SYNOPSIS\n\\fBtpu\\-admission " + Roff(command.name) + "\\fR [\\fIFLAGS\\fR]";
  for (const FlagRow& argument : command.arguments) {
    const std::string name = "\\fI" + argument.name + "\\fR" + (argument.repeats ? "..." : "");
    line += argument.required ? " " + name : " [" + name + "]";
  }
  return line + "\n";
}

}  // namespace

std::string ManPage(const std::vector<CommandRow>& commands, const std::string& what) {
  std::string page = Head("tpu-admission", what);
  page += ".SH SYNOPSIS\n\\fBtpu\\-admission\\fR \\fICOMMAND\\fR [\\fIFLAGS\\fR]\n.SH COMMANDS\n";
  std::string pages;
  for (const CommandRow& command : commands) {
    page += Item("\\fB" + Roff(command.name) + "\\fR", command.what);
    pages += std::string(pages.empty() ? "" : ",\n") + "\\fBtpu\\-admission\\-" +
             Roff(Dashed(command.name)) + "\\fR(1)";
  }
  return page + std::string(kExitCodes) + ".SH SEE ALSO\n" + pages + "\n";
}

std::string ManPage(const CommandRow& command) {
  std::string page =
      Head("tpu-admission-" + Dashed(command.name), command.what) + Synopsis(command);
  if (!command.arguments.empty()) page += ".SH ARGUMENTS\n";
  for (const FlagRow& argument : command.arguments) {
    FlagRow shown = argument;
    shown.values.clear();  // the ids of all rules, for one
    page += FlagItem(shown);
  }
  page += ".SH OPTIONS\n";
  for (const FlagRow& flag : command.flags) page += FlagItem(flag);
  if (!command.footer.empty()) page += ".SH NOTES\n.nf\n" + Roff(command.footer) + "\n.fi\n";
  return page + std::string(kExitCodes) + ".SH SEE ALSO\n\\fBtpu\\-admission\\fR(1)\n";
}

}  // namespace tpu_admission::app
