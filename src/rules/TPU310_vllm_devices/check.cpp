#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "rules/engine/command.h"
#include "rules/engine/phrases.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu310 {

using workload::Counting;

constexpr std::array<std::string_view, 3> kFlags = {"--tensor-parallel-size",
                                                    "--tensor_parallel_size", "-tp"};

struct Parallelism {
  std::int64_t devices = 0;
  std::string_view flag;
  std::string_view list;  // "command" or "args"
  std::size_t index = 0;  // of the word that has the number
};

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\\'; }
bool EndsNumber(char c) {
  return IsSpace(c) || std::string_view("\"'&|;)").find(c) != std::string_view::npos;
}

// The number at the beginning of `text`, maybe in quotes; nothing of a variable ("$TP").
std::optional<std::int64_t> NumberAt(std::string_view text) {
  if (text.starts_with('"') || text.starts_with('\'')) text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 1) return std::nullopt;
  const bool whole = end == text.data() + text.size() || EndsNumber(*end);
  return whole ? std::optional(number) : std::nullopt;
}

// The flag that the text begins with as a word, and not "-tpu"; empty: none.
std::string_view FlagOf(std::string_view text) {
  for (const std::string_view flag : kFlags) {
    if (!text.starts_with(flag)) continue;
    if (text.size() == flag.size() || text[flag.size()] == '=' || IsSpace(text[flag.size()])) {
      return flag;
    }
  }
  return {};
}

// A program that takes a command line for a text of its own.
bool TakesText(std::string_view program) {
  constexpr std::array<std::string_view, 7> kPrograms = {"echo",  "printf", "logger", "grep",
                                                         "egrep", "pgrep",  "pkill"};
  return std::find(kPrograms.begin(), kPrograms.end(), program) != kPrograms.end();
}

// Goes through a script, once, and tells which program is called where.
class ShellReader {
 public:
  explicit ShellReader(std::string_view script) : script_(script) {}

  // The first word of the command that `at` is in, which is no place before the last asked for.
  std::string_view ProgramAt(std::size_t at) {
    for (; at_ < at; ++at_) Step(script_[at_]);
    const std::size_t first = std::min(script_.find_first_not_of(" \t", begin_), at);
    return script_.substr(first, script_.substr(first, at - first).find_first_of(" \t"));
  }

 private:
  void Step(char c) {
    if (in_comment_) {
      in_comment_ = c != '\n';
      if (!in_comment_) begin_ = at_ + 1;
    } else if (escaped_) {
      escaped_ = false;
    } else if (c == '\\' && quote_ != '\'') {
      escaped_ = true;
    } else if (quote_ != 0) {
      if (c == quote_) quote_ = 0;
    } else if (c == '"' || c == '\'') {
      quote_ = c;
    } else if (c == '#' && (at_ == 0 || IsSpace(script_[at_ - 1]))) {
      in_comment_ = true;
    } else if (std::string_view("\n;&|()`").find(c) != std::string_view::npos) {
      begin_ = at_ + 1;
    }
  }

  std::string_view script_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;  // of the command
  char quote_ = 0;
  bool escaped_ = false;
  bool in_comment_ = false;
};

// What takes words of a command as flags of vLLM, and keeps the least that they say, for a script
// may serve twice.
class FlagReader {
 public:
  void Read(k8s::JsonView words, std::string_view list) {
    words_ = words;
    list_ = list;
    for (index_ = 0; index_ < words.size(); ++index_) {
      word_ = words.Element(index_).StringOr("");
      server_ = std::min(word_.find("vllm"), word_.find("api_server"));
      shell_ = ShellReader(word_);
      for (std::size_t begin = 0, end = 0; begin < word_.size(); begin = end + 1) {
        end = std::min(word_.find('\n', begin), word_.size());
        ReadLine(begin, word_.substr(0, end));
      }
    }
  }

  const std::optional<Parallelism>& least() const { return least_; }

 private:
  // `line` has the word from its beginning on.
  void ReadLine(std::size_t begin, std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t", begin);
    if (first < line.size() && line[first] == '#') return;  // a comment of a script
    for (std::size_t at = line.find('-', begin), end = 0; at < line.size();
         at = line.find('-', end)) {
      end = std::min(line.find_first_not_of('-', at), line.size());
      if (at > 0 && !IsSpace(word_[at - 1]) && word_[at - 1] != '"' && word_[at - 1] != '\'') {
        continue;
      }
      const std::string_view flag = FlagOf(word_.substr(at));
      const bool is_short = !flag.starts_with("--");
      if (flag.empty() || (is_short && at > 0 && at < server_)) continue;  // another program's
      if (TakesText(shell_.ProgramAt(at))) continue;
      ReadValue(flag, at + flag.size());
    }
  }

  // In the rest of the word, or in the next one.
  void ReadValue(std::string_view flag, std::size_t at) {
    std::string_view rest = word_.substr(at);
    const bool next = rest.empty() && index_ + 1 < words_.size();
    if (next) rest = words_.Element(index_ + 1).StringOr("");
    if (rest.starts_with('=')) rest.remove_prefix(1);
    const auto value = std::find_if_not(rest.begin(), rest.end(), IsSpace);
    rest.remove_prefix(std::size_t(value - rest.begin()));
    const std::optional<std::int64_t> devices = NumberAt(rest);
    if (!devices || (least_ && least_->devices <= *devices)) return;
    least_ = Parallelism{*devices, flag, list_, index_ + (next ? 1 : 0)};
  }

  k8s::JsonView words_;
  std::string_view list_;
  std::size_t index_ = 0;
  std::string_view word_;
  ShellReader shell_{""};
  std::size_t server_ = 0;  // where the word calls vLLM for the first time, if it does
  std::optional<Parallelism> least_;
};

bool RunsVllm(const k8s::Container& container) {
  const std::string_view image = container.json["image"].StringOr("");
  return image.find("vllm") != image.npos || CommandHolds(container, "vllm");
}

std::optional<Parallelism> ParallelismOf(const k8s::Container& container) {
  if (!RunsVllm(container)) return std::nullopt;
  FlagReader flags;
  flags.Read(container.json["command"], "command");
  flags.Read(container.json["args"], "args");
  return flags.least();
}

// The chips that the program may use: those of the slice that its pod fills with others, or its
// own. Nothing where pods of single hosts may work together, or too little is known.
std::optional<std::int64_t> ChipsWithin(const Subject& subject, const k8s::Container& container) {
  const std::optional<Slice> slice = subject.SliceOfPods();
  if (!slice) return std::nullopt;
  if (slice->multi_host()) return slice->topology.chips();
  const workload::Scale& scale = subject.pods.scale;
  if (scale.counting != Counting::kNone && scale.tpu_pods != 1) return std::nullopt;
  return ChipsOf(container);
}

void CheckContainer(const Subject& subject, const k8s::Container& container, Report& report) {
  const std::int64_t cores = subject.shape.generation->tensor_cores_per_chip;
  const std::optional<Parallelism> found = ParallelismOf(container);
  if (!found) return;
  const std::optional<std::int64_t> chips = ChipsWithin(subject, container);
  if (!chips || found->devices / cores < *chips) return;
  const std::int64_t devices = *chips * cores;  // no more than `found`, or it would have returned
  if (found->devices <= devices) return;
  report.Add(
      container,
      {.pointer = PointerBelow(PointerBelow(subject.At(container), found->list), found->index),
       .summary = fmt::format("{} is {}, and there {} {}", found->flag, found->devices,
                              devices == 1 ? "is" : "are", Counted(devices, "device")),
       .problem = fmt::format(
           "lets vLLM split its model over {} devices, one for each part. {} of {} {} {}{}, so "
           "vLLM ends when it starts, again and again, and the chips stand idle.",
           found->devices, Counted(*chips, "chip"), subject.shape.generation->label,
           *chips == 1 ? "is" : "are", cores == 1 ? "" : "at most ", Counted(devices, "device")),
       .change = fmt::format("set {} to {} if the model fits into so many, or ask for more chips",
                             found->flag, devices),
       .decision = "how many devices the model needs"});
}

void Check(const Subject& subject, Report& report) {
  const tpu::Generation* generation = subject.shape.generation;
  if (generation == nullptr || generation->tensor_cores_per_chip == 0) return;
  ShortCommands commands;
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    if (report.full()) return;
    if (!container.Stays() || ChipsOf(container).value_or(0) <= 0) continue;
    if (commands.Take(container)) CheckContainer(subject, container, report);
  }
}

}  // namespace tpu310

const Rule kTPU310 = {
    .id = "TPU310",
    .name = "vllm-devices",
    .mode = Mode::kWarn,
    .check = tpu310::Check,
    .keeps_waiting = true,
};

}  // namespace tpu_admission::rules
