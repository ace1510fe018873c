#include "app/flags.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "tpu_admission/base/text.h"
#include "tpu_admission/kube/api.h"

namespace tpu_admission::app {
namespace {

using std::chrono::milliseconds;

struct Unit {
  std::string_view name;
  long long milliseconds;
};
constexpr std::array<Unit, 4> kUnits = {{{"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}}};

// Whether `text` has the flag as a word of its own: --policy, not --policy-file.
bool Names(std::string_view text, std::string_view flag) {
  for (std::size_t at = text.find(flag); at != text.npos; at = text.find(flag, at + 1)) {
    const std::string_view rest = text.substr(at + flag.size());
    if (rest.empty() || (rest.front() != '-' && std::isalnum(rest.front()) == 0)) return true;
  }
  return false;
}

void AddTwins(const CLI::App& command, std::set<std::string, std::less<>>& twins) {
  for (const CLI::Option* const option : command.get_options()) {
    if (!option->get_envname().empty()) twins.insert(option->get_envname());
  }
  for (const CLI::App* const each : command.get_subcommands({})) AddTwins(*each, twins);
}

// A slip of one letter; else what begins alike, for "deny" is rather "denial" than "any"; else a
// slip of two.
std::string_view Meant(std::string_view text, const std::vector<std::string_view>& names) {
  constexpr std::size_t kBegin = 3;
  const std::size_t half = text.size() / 2;
  std::string_view meant = Nearest(text, names, std::min<std::size_t>(1, half));
  for (const std::string_view name : names) {
    const bool alike = text.size() >= kBegin && name.starts_with(text.substr(0, kBegin));
    if (meant.empty() && alike) meant = name;
  }
  return meant.empty() ? Nearest(text, names, std::min<std::size_t>(2, half)) : meant;
}

}  // namespace

std::string EnvironmentTwin(const std::string& flag) {
  std::string name = "TPU_ADMISSION_";
  for (const char c : flag.substr(2)) {
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

std::vector<std::pair<std::string, std::vector<std::string>>> GivenFlags(const CLI::App& command) {
  std::vector<std::pair<std::string, std::vector<std::string>>> given;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 0) given.emplace_back(option->get_name(), option->results());
  }
  return given;
}

std::string NearestFlag(const CLI::App& command, const std::string& flag) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::size_t letters = flag.size() - std::min<std::size_t>(2, flag.size());
  return std::string(Nearest(flag, std::vector<std::string_view>(names.begin(), names.end()),
                             std::min<std::size_t>(3, letters / 2)));
}

void RefuseLostVariables(const CLI::App& command) {
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_envname().empty() || option->count() > 0) continue;
    const char* const value = std::getenv(option->get_envname().c_str());
    if (value == nullptr || *value == '\0') continue;
    throw CLI::ValidationError(option->get_name(), Quoted(value, 200) +
                                                       " is no value of it; `tpu-admission help " +
                                                       command.get_name() + "` says which are");
  }
}

std::string MisspeltVariables(const CLI::App& app) {
  constexpr std::size_t kMostSlips = 2;
  std::set<std::string, std::less<>> twins;
  AddTwins(app, twins);
  const std::vector<std::string_view> names(twins.begin(), twins.end());
  std::string lines;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view entry = *each;
    const std::string_view name = entry.substr(0, entry.find('='));
    if (!name.starts_with(EnvironmentTwin("--")) || twins.contains(name)) continue;
    const std::string_view nearest = Nearest(name, names, kMostSlips);
    if (nearest.empty()) continue;
    lines += "No flag reads the variable " + Printable(name) + "; did you mean " +
             std::string(nearest) + "?\n";
  }
  return lines;
}

std::string GivenByVariables(const CLI::App& command, std::string_view error,
                             std::span<const char* const> words) {
  std::string lines;
  for (const CLI::Option* const option : command.get_options()) {
    const std::string flag = option->get_name();
    const std::string variable = option->get_envname();
    if (variable.empty() || std::getenv(variable.c_str()) == nullptr || !Names(error, flag))
      continue;
    const bool is_given = std::any_of(words.begin(), words.end(), [&](std::string_view word) {
      return word.substr(0, word.find('=')) == flag;
    });
    if (!is_given) lines += "The variable " + variable + " gives " + flag + ".\n";
  }
  return lines;
}

void AddOutput(CLI::App& command, std::string& value, const std::set<std::string>& formats) {
  AddFlag(command, "--output", value, "for people or for programs")
      ->check(IsOneOf({formats.begin(), formats.end()}))
      ->envname(EnvironmentTwin("--" + command.get_name() + "-output"));
}

std::optional<milliseconds> ParseDuration(const std::string& text) {
  std::size_t end = 0;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
  if (end == 0 || end > 9) return std::nullopt;
  for (const Unit& unit : kUnits) {
    if (text.substr(end) == unit.name) {
      return milliseconds(std::stoll(text.substr(0, end)) * unit.milliseconds);
    }
  }
  return std::nullopt;
}

std::string FormatDuration(milliseconds duration) {
  for (const Unit& unit : kUnits) {
    if (duration.count() != 0 && duration.count() % unit.milliseconds == 0) {
      return std::to_string(duration.count() / unit.milliseconds) + std::string(unit.name);
    }
  }
  return "0s";
}

void AddDuration(CLI::App& command, const std::string& flag, milliseconds& value,
                 const std::string& help, milliseconds most) {
  const auto read = [&value, flag, most](const std::string& text) {
    const std::optional<milliseconds> duration = ParseDuration(text);
    if (!duration)
      throw CLI::ValidationError(flag, "\"" + text + "\" is no duration such as 5s or 250ms");
    if (*duration > most) {
      throw CLI::ValidationError(flag,
                                 text + " is too long, it may be at most " + FormatDuration(most));
    }
    value = *duration;
  };
  command.add_option_function<std::string>(flag, read, help)
      ->envname(EnvironmentTwin(flag))
      ->take_last()
      ->default_str(FormatDuration(value))
      ->type_name("DURATION");
}

void AddMetricsPort(CLI::App& command, std::uint16_t& port) {
  AddFlag(command, "--metrics-port", port,
          "plain HTTP port of /livez, /readyz and /metrics; 0 takes a free one")
      ->check(IsPort());
}

void AddLogLevel(CLI::App& command, std::string& level) {
  AddFlag(command, "--log-level", level, "least severe lines to log")
      ->check(IsOneOf({"debug", "info", "warning", "error"}));
}

void AddApiServer(CLI::App& command, ApiServerOptions& options, const std::string& help_of_dir) {
  AddFlag(command, "--api-server", options.client.server,
          "https://HOST:PORT of the API server; that of the pod's environment if not given");
  AddFlag(command, "--service-account-dir", options.service_account_dir, help_of_dir)
      ->type_name("DIR");
}

void AddTokenAndCa(CLI::App& command, ApiServerOptions& options) {
  AddFlag(command, "--token-file", options.client.token_file,
          "token to use instead of the account's")
      ->type_name("FILE");
  AddFlag(command, "--ca-file", options.client.ca_file,
          "CA of the API server instead of the account's")
      ->type_name("FILE");
}

CLI::Validator IsOneOf(std::vector<std::string> values) {
  const std::string all = "{" + Joined(values, ",") + "}";
  return {[values = std::move(values), all](const std::string& text) {
            if (std::find(values.begin(), values.end(), text) != values.end()) return std::string();
            const std::vector<std::string_view> names(values.begin(), values.end());
            const std::string_view nearest = Meant(text, names);
            return Quoted(text) + " is not in " + all +
                   (nearest.empty() ? "" : "; did you mean " + std::string(nearest) + "?");
          },
          all};
}

CLI::Validator IsWhole(int least, int most) {
  const CLI::Validator range = CLI::Range(least, most);
  return {[range](std::string& text) {
            const bool number =
                !text.empty() && text.find_first_not_of("-0123456789") == std::string::npos;
            // The library would take it for octal.
            if (number && text.size() > 1 && text.find_first_not_of('-') == text.find('0')) {
              return Quoted(text) + " begins with a 0; write the number without it";
            }
            const std::string wrong = range(text);
            return wrong.empty() || number ? wrong : Quoted(text) + " is no whole number";
          },
          range.get_description()};
}

CLI::Validator IsPort() { return IsWhole(0, 65535); }

CLI::Validator IsName() {
  return {[](const std::string& text) {
            return kube::IsObjectName(text) ? std::string()
                                            : Quoted(text) + " is no name in Kubernetes";
          },
          "NAME"};
}

CLI::Validator IsBaseUrl() {
  return {[](std::string& text) {
            const bool plain = std::all_of(text.begin(), text.end(),
                                           [](unsigned char c) { return c > ' ' && c < 0x7f; });
            const std::size_t host = text.find("://") + 3;
            const bool web = text.starts_with("https://") || text.starts_with("http://");
            const bool sound = plain && web && host < text.size() && text[host] != '/';
            if (!sound && !text.empty()) {
              return Quoted(text, 200) + " is no address such as https://docs.example/rules";
            }
            while (text.ends_with('/')) text.pop_back();
            return std::string();
          },
          "URL"};
}

}  // namespace tpu_admission::app
