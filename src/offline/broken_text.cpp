#include "offline/broken_text.h"

#include "tpu_admission/offline/templates.h"

namespace tpu_admission::offline {
namespace {

// What kubectl would make of it: tried with 1.27 and 1.36. (kustomize refuses it.)
const char* Lesson(const YamlError& error) {
  return error.message.starts_with("duplicate key")
             ? "; kubectl apply -f keeps the last and drops the others without a word: put what is "
               "meant under one key"
             : "";
}

}  // namespace

void TellErrors(const YamlStream& stream, FileReport& report) {
  if (stream.errors.empty()) return;
  YamlMark mark = TemplateMark(report.text);
  if (mark.line > 0) {
    report.is_template = true;
    report.errors.push_back({mark, RenderFirst(report.text)});
    return;
  }
  for (const YamlError& error : stream.errors) {
    const YamlMark variable = VariableMark(report.text, error);
    if (variable.line == 0) {
      report.errors.push_back({error.mark, error.message + Lesson(error)});
    } else if (mark.line == 0) {
      mark = variable;
      report.errors.push_back({mark, FillInFirst(report.text, mark)});
    }
  }
  report.is_template = mark.line > 0 && report.errors.size() == 1;
}

}  // namespace tpu_admission::offline
