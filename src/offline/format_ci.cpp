// What CI systems read: workflow commands of GitHub, Code Quality of GitLab, JUnit, Checkstyle.
#include <nlohmann/json.hpp>

#include "offline/formats.h"
#include "offline/item.h"
#include "tpu_admission/base/json_string.h"
#include "tpu_admission/base/json_tree.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/base/version.h"
#include "tpu_admission/offline/format.h"

namespace tpu_admission::offline {
namespace {

std::string Replaced(std::string_view text,
                     std::span<const std::pair<char, std::string_view>> escapes) {
  std::string out;
  for (const char c : text) {
    const auto escape = std::find_if(escapes.begin(), escapes.end(),
                                     [c](const auto& each) { return each.first == c; });
    escape == escapes.end() ? out.append(1, c) : out.append(escape->second);
  }
  return out;
}

// As actions/toolkit escapes them.
std::string GithubData(std::string_view text) {
  static constexpr std::pair<char, std::string_view> kEscapes[] = {
      {'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}};
  return Replaced(text, kEscapes);
}
std::string GithubProperty(std::string_view text) {
  static constexpr std::pair<char, std::string_view> kEscapes[] = {
      {'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}, {':', "%3A"}, {',', "%2C"}};
  return Replaced(text, kEscapes);
}

class GithubFormat final : public Format {
 public:
  void Add(const FileReport& report, std::string& out) override {
    ForEachItem(report, [&](const Item& item) {
      out += item.level == Level::kError ? "::error " : "::warning ";
      if (item.file != "-") {
        const YamlMark& begin = item.place.begin;
        out += "file=" + GithubProperty(ShownPath(item.file)) +
               ",line=" + std::to_string(begin.line) + ",col=" + std::to_string(begin.column);
        if (item.place.end.line == begin.line && item.place.end.column > begin.column) {
          out += ",endLine=" + std::to_string(begin.line) +
                 ",endColumn=" + std::to_string(item.place.end.column);
        }
        out += ',';
      }
      out += "title=" + GithubProperty(item.check) + "::" +
             GithubData(item.message == item.details ? item.message
                                                     : item.message + "\n" + item.details) +
             "\n";
    });
  }
  void Finish(const Counts& counts, std::string& out) override { out += Sum(counts) + "\n"; }
};

class GitlabFormat final : public Format {
 public:
  void Begin(std::string& out) override { out += '['; }
  void Add(const FileReport& report, std::string& out) override {
    std::map<std::string, std::size_t> seen;
    ForEachItem(report, [&](const Item& item) {
      const bool error = item.level == Level::kError;
      std::string print = item.fingerprint;
      if (print.empty()) print = item.check + ":" + std::string(item.file) + ":" + item.message;
      out += first_ ? "\n" : ",\n";
      first_ = false;
      out += HarmlessJson(Dumped(nlohmann::ordered_json(
          {{"description", item.message},
           {"check_name", item.check},
           {"fingerprint", Numbered(print, seen)},
           {"severity", error ? "major" : "minor"},
           {"location", {{"path", item.file}, {"lines", {{"begin", item.place.begin.line}}}}}})));
    });
  }
  void Finish(const Counts&, std::string& out) override { out += first_ ? "]\n" : "\n]\n"; }

 private:
  bool first_ = true;
};

// For an attribute or text; what XML 1.0 cannot say at all becomes U+FFFD.
std::string Xml(std::string_view text) {
  static constexpr std::pair<char, std::string_view> kEscapes[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\n', "&#10;"}};
  std::string clean;
  while (!text.empty()) {
    const std::size_t line = text.find('\n');
    clean += Printable(text.substr(0, line), text.size() + 3 * text.size());
    if (line == text.npos) break;
    clean += '\n';
    text.remove_prefix(line + 1);
  }
  return Replaced(clean, kEscapes);
}

constexpr const char* kXmlHead = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

// A suite for each file, a case for each object that something is told of, or one that passed.
class JunitFormat final : public Format {
 public:
  void Begin(std::string& out) override {
    out.append(kXmlHead).append("<testsuites name=\"tpu-admission\">\n");
  }
  void Add(const FileReport& report, std::string& out) override {
    std::string cases;
    std::size_t failures = 0;
    std::size_t warnings = 0;
    std::size_t tests = 0;
    ForEachItem(report, [&](const Item& item) {
      if (item.level == Level::kWarning) {
        ++warnings;
        return;
      }
      ++tests;
      ++failures;
      cases += "    <testcase classname=\"" + Xml(item.file) + "\" name=\"" + Xml(item.check) +
               " (line " + std::to_string(item.place.begin.line) + ")\">\n      <failure type=\"" +
               Xml(item.check) + "\" message=\"" + Xml(item.message) + "\">" + Xml(item.details) +
               "</failure>\n    </testcase>\n";
    });
    if (tests == 0) {
      ++tests;
      cases = "    <testcase classname=\"" + Xml(report.file) + "\" name=\"" +
              Counted(report.workloads, "TPU workload") + "\"/>\n";
    }
    out += "  <testsuite name=\"" + Xml(report.file) + "\" tests=\"" + std::to_string(tests) +
           "\" failures=\"" + std::to_string(failures) + "\" errors=\"0\" skipped=\"0\">\n" +
           cases + (warnings > 0 ? Warnings(report) : "") + "  </testsuite>\n";
  }
  void Finish(const Counts&, std::string& out) override { out += "</testsuites>\n"; }

 private:
  static std::string Warnings(const FileReport& report) {
    std::string text = "    <system-out>";
    ForEachItem(report, [&](const Item& item) {
      if (item.level != Level::kWarning) return;
      text += Xml(std::string(item.file) + ":" + std::to_string(item.place.begin.line) +
                  ": warning: " + item.check + ": " + item.message + "\n");
    });
    return text + "</system-out>\n";
  }
};

class CheckstyleFormat final : public Format {
 public:
  void Begin(std::string& out) override {
    out.append(kXmlHead).append("<checkstyle version=\"4.3\">\n");
  }
  void Add(const FileReport& report, std::string& out) override {
    std::string open;
    ForEachItem(report, [&](const Item& item) {
      if (open != item.file) {
        out += open.empty() ? "" : "  </file>\n";
        open = item.file;
        out += "  <file name=\"" + Xml(open) + "\">\n";
      }
      const bool error = item.level == Level::kError;
      out += "    <error line=\"" + std::to_string(item.place.begin.line) + "\" column=\"" +
             std::to_string(item.place.begin.column) + "\" severity=\"" +
             (error ? "error" : "warning") + "\" message=\"" + Xml(item.message) +
             "\" source=\"tpu-admission." + Xml(item.check.substr(0, item.check.find(' '))) +
             "\"/>\n";
    });
    if (!open.empty()) out += "  </file>\n";
  }
  void Finish(const Counts&, std::string& out) override { out += "</checkstyle>\n"; }
};

}  // namespace

std::unique_ptr<Format> NewGithubFormat() { return std::make_unique<GithubFormat>(); }
std::unique_ptr<Format> NewGitlabFormat() { return std::make_unique<GitlabFormat>(); }
std::unique_ptr<Format> NewJunitFormat() { return std::make_unique<JunitFormat>(); }
std::unique_ptr<Format> NewCheckstyleFormat() { return std::make_unique<CheckstyleFormat>(); }

}  // namespace tpu_admission::offline
