#include "offline/broken_text.h"

#include "tpu_admission/offline/templates.h"

namespace tpu_admission::offline {

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
      report.errors.push_back({error.mark, error.message});
    } else if (mark.line == 0) {
      mark = variable;
      report.errors.push_back({mark, FillInFirst(report.text, mark)});
    }
  }
  report.is_template = mark.line > 0 && report.errors.size() == 1;
}

}  // namespace tpu_admission::offline
