// What `check` prints: reports in, text out, for people and for the programs of CI.
//
// A Format belongs to one thread. It appends to `out`, so that what is long need not wait for the
// end; the lists of json, sarif, gitlab and junit are kept until Finish().
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tpu_admission/offline/check.h"

namespace tpu_admission::offline {

class Format {
 public:
  virtual ~Format() = default;
  virtual void Begin(std::string&) {}
  virtual void Add(const FileReport& report, std::string& out) = 0;
  virtual void Finish(const Counts& counts, std::string& out) = 0;
};

std::span<const std::string_view> FormatNames();
// nullptr if there is none of this name. `colour`: of text.
std::unique_ptr<Format> NewFormat(std::string_view name, bool colour);

// What stays the same when lines move: of a finding in its object and file, in hexadecimal.
std::string Fingerprint(std::string_view file, const ObjectReport& object,
                        const ReportedFinding& finding);

// `print`, numbered from the second equal one on: objects made of one generateName have equal ones.
std::string Numbered(const std::string& print, std::map<std::string, std::size_t>& seen);

// What a repository knows the file as: what Helm rendered is its template.
std::string_view FileOf(const FileReport& report, const ObjectReport& object);

}  // namespace tpu_admission::offline
