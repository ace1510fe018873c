#include "observability/log_line.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "tpu_admission/base/json_string.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::observability {
namespace {

using admission::JudgedFinding;

constexpr std::size_t kMaxValueBytes = 512;
constexpr std::size_t kReasonBytes = 200;

std::string_view Name(Level level) {
  static constexpr std::array<std::string_view, 4> kNames = {"debug", "info", "warning", "error"};
  return kNames[static_cast<std::size_t>(level)];
}

// RFC 3339 in UTC with milliseconds. By hand: strftime costs as much as the rest of the line.
void AppendTime(std::string& line) {
  using namespace std::chrono;
  const auto now = floor<milliseconds>(system_clock::now());
  const auto day = floor<days>(now);
  const year_month_day date(day);
  const hh_mm_ss time(now - day);
  constexpr std::string_view kForm = "0000-00-00T00:00:00.000Z";
  const std::size_t start = line.size();
  line += kForm;
  const auto put = [&](std::size_t end, unsigned number) {  // the last digit is before `end`
    for (char* digit = line.data() + start + end; number > 0; number /= 10) {
      *--digit = static_cast<char>('0' + number % 10);
    }
  };
  put(4, static_cast<unsigned>(int(date.year())));
  put(7, unsigned(date.month()));
  put(10, unsigned(date.day()));
  put(13, static_cast<unsigned>(time.hours().count()));
  put(16, static_cast<unsigned>(time.minutes().count()));
  put(19, static_cast<unsigned>(time.seconds().count()));
  put(23, static_cast<unsigned>(time.subseconds().count()));
}

// Appends `,"name":`, in one go: a line has a dozen of them.
void AppendName(std::string& line, std::string_view name) {
  const std::size_t start = line.size();
  line.resize(start + name.size() + 4);
  char* const at = line.data() + start;
  at[0] = ',';
  at[1] = '"';
  name.copy(at + 2, name.size());
  at[name.size() + 2] = '"';
  at[name.size() + 3] = ':';
}

// Appends at most kMaxValueBytes and two quotes.
void AppendText(std::string& line, std::string_view value) {
  const std::size_t start = line.size();
  if (value.size() <= kMaxValueBytes) AppendJsonString(line, value);
  if (value.size() <= kMaxValueBytes && line.size() - start <= kMaxValueBytes + 2) return;
  line.resize(start);
  // What can be printed grows by escapes of quotes and backslashes at most: to twice its size.
  AppendJsonString(line, Printable(value, kMaxValueBytes / 2));
}

}  // namespace

// Appends `,"name":["entry","entry"]`. Entries that would not fit are left out, and a last one says
// how many.
class LogLine::List {
 public:
  // Entries fit where the line stays within `most` bytes.
  List(std::string& line, std::string_view name, std::size_t most) : line_(line), most_(most) {
    line_.append(",\"").append(name).append("\":[");
  }
  ~List() {
    if (left_out_ > 0) Begin() += std::to_string(left_out_) + " more\"";
    line_ += ']';
  }

  void Add(const rules::Rule& rule, std::string_view value) {
    constexpr std::size_t kEscaped = kMaxValueBytes + 32;  // at most, with the id
    if (left_out_ > 0 || line_.size() + kEscaped > most_) {
      ++left_out_;
      return;
    }
    Begin().append(rule.id).append("=");
    const std::size_t quote = line_.size();
    AppendText(line_, value);
    line_.erase(quote, 1);
  }

 private:
  std::string& Begin() { return line_ += line_.back() == '[' ? "\"" : ",\""; }

  std::string& line_;
  const std::size_t most_;
  std::size_t left_out_ = 0;
};

LogLine::LogLine(Level level, std::string_view message) {
  line_.reserve(512);
  line_ += "{\"time\":\"";
  AppendTime(line_);
  line_.append("\",\"level\":\"").append(Name(level)).append("\",\"msg\":");
  AppendText(line_, message);
}

void LogLine::Text(std::string_view name, std::string_view value) {
  AppendName(line_, name);
  AppendText(line_, value);
}

void LogLine::Raw(std::string_view name, std::string_view json) {
  AppendName(line_, name);
  line_.append(json);
}

void LogLine::Rules(const std::vector<JudgedFinding>& findings) {
  {
    List rules(line_, "rules", kLineBytes / 2);
    for (const JudgedFinding& judged : findings) {
      rules.Add(*judged.finding.rule, Name(judged.mode));
    }
  }
  const auto differs = [](const JudgedFinding& judged) { return judged.would_be != judged.mode; };
  if (std::none_of(findings.begin(), findings.end(), differs)) return;
  List would_be(line_, "would_be", kLineBytes * 3 / 4);
  for (const JudgedFinding& judged : findings) {
    if (differs(judged)) would_be.Add(*judged.finding.rule, Name(judged.would_be));
  }
}

void LogLine::Ignored(const std::vector<JudgedFinding>& findings) {
  const auto is_ignored = [](const JudgedFinding& judged) {
    return !judged.ignored_because.empty();
  };
  if (std::none_of(findings.begin(), findings.end(), is_ignored)) return;
  List ignored(line_, "ignored", kLineBytes - 1024);
  for (const JudgedFinding& judged : findings) {
    if (!is_ignored(judged)) continue;
    ignored.Add(*judged.finding.rule, Cut(judged.ignored_because, kReasonBytes));
  }
}

std::string_view LogLine::Finish() {
  line_ += '}';
  return line_;
}

}  // namespace tpu_admission::observability
