// The rules on the text of a file: bytes in, what is to be told of it out. What `check`, the editor
// and the page in the browser share.
//
// Pure; safe from any thread. The answer owns all its text but the rules.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/admission/judge.h"
#include "tpu_admission/admission/repairs.h"
#include "tpu_admission/base/yaml.h"
#include "tpu_admission/offline/manifest.h"
#include "tpu_admission/offline/rule_choice.h"
#include "tpu_admission/repair/repair.h"
#include "tpu_admission/workload/companions.h"

namespace tpu_admission::offline {

struct CheckWish {
  std::string namespace_name;  // of objects that name none
  Day today;                   // UTC; exemptions may end
  RuleChoice rules;            // whose findings are told
  bool with_recorded = true;   // tell also what is only recorded (audit)
  bool with_fixes = false;     // find also what FixText() writes into pod templates
};

// A part of the text; `end` is one past it.
struct Span {
  YamlMark begin;
  YamlMark end;
};

// Something to say that is no finding.
struct Note {
  YamlMark place;  // line 0: the file as a whole
  std::string text;
};

struct ReportedFinding : admission::ToldFinding {
  std::string field;  // path in the object, as messages write it
  // The value; of a list or map, and of what is not there, the key of what is there.
  Span place;
  std::string ignored_because;  // not empty: its author asked for that, and it counts
  bool is_known = false;        // it stands in the baseline
};

struct ReportedRepair {
  repair::Repair repair;  // its pointers are of the document
  char label = 'a';
  std::string patch;  // RFC 6902, of the document, as JSON text
};

// What is to be told of one object: of those about which there is anything.
struct ObjectReport {
  std::size_t document = 0;  // in the file, from 0
  std::string pointer;       // of the object in the document
  YamlMark place;
  std::string source;  // the template that Helm made it from; empty: not known
  std::string api_version;
  std::string kind;
  std::string namespace_name;  // as it is written
  std::string name;
  std::string title;                      // Job "train"
  std::vector<ReportedFinding> findings;  // hardest first
  std::vector<ReportedRepair> repairs;
  std::string why_no_repair;                  // of a denial without any: a line
  std::vector<admission::TemplateFix> fixes;  // with_fixes; their pointers are of the document
  std::vector<Note> warnings;                 // what is not judged, exemptions that do not count
  std::vector<Note> errors;                   // what cannot be read
};

struct FileReport {
  std::string file;  // as it is told
  std::string text;  // of the file
  std::size_t documents = 0;
  std::size_t workloads = 0;
  bool is_template = false;  // its one error says so
  std::vector<ObjectReport> objects;
  std::vector<Note> warnings;
  std::vector<Note> errors;
};

// `companions`: of the file that the text is a part of; nullptr: it is all of it.
FileReport CheckText(const admission::Settings& settings, const CheckWish& wish, std::string file,
                     std::string text, const workload::Companions* companions = nullptr);

// What the objects of a text leave to others in their file.
workload::Companions CompanionsOf(std::string_view text);

// What a run comes to.
struct Counts {
  std::size_t documents = 0;
  std::size_t workloads = 0;
  std::size_t denied = 0;
  std::size_t warned = 0;
  std::size_t would_be_denied = 0;
  std::size_t known = 0;       // findings that stand in the baseline
  std::size_t unreadable = 0;  // errors

  void Add(const FileReport& report);
};

// How a finding is announced to people: "error", "warning"...; empty: it is not. What the policy's
// `default` holds back is told all the same: who looks at files wants to know before the next stage
// of the rollout.
std::string_view Word(const ReportedFinding& finding);

// An object of a file as somebody who wants to have it in a cluster.
admission::Submission SubmissionOf(const ManifestObject& object, const CheckWish& wish);

}  // namespace tpu_admission::offline
