#include "app/check_fix.h"

#include <filesystem>
#include <fstream>

#include "tpu_admission/admission/repairs.h"
#include "tpu_admission/base/files.h"
#include "tpu_admission/offline/text_edit.h"

namespace tpu_admission::app {

admission::Submission SubmissionOf(const ManifestObject& object, std::string_view namespace_name,
                                   Day today) {
  const std::string_view own = object.json["metadata"]["namespace"].StringOr("");
  return {object.gvk, object.json, k8s::JsonView(), own.empty() ? namespace_name : own, today};
}

Result<FixedFile> FixFile(const admission::Settings& settings, const CheckOptions& options,
                          const std::string& file, Day today) {
  Result<std::string> text = DiskFiles().ReadInput(file, kMaxManifestBytes);
  if (!text) return text.error();
  std::vector<offline::DocumentEdits> edits;
  k8s::Arena arena;
  const std::size_t wanted = std::size_t(options.repair.front() - 'a');
  ForEachObject(*text, [&](const ManifestObject& object) {
    arena.Reset();
    const admission::Submission submission = SubmissionOf(object, options.namespace_name, today);
    const admission::Judgement judgement = Judge(settings, submission, arena);
    std::vector<repair::Repair> repairs = RepairsOf(settings, submission, judgement, arena);
    if (wanted >= repairs.size()) return;
    for (k8s::JsonEdit& edit : repairs[wanted].edits) edit.pointer.insert(0, object.pointer);
    edits.push_back({object.index, std::move(repairs[wanted].edits)});
  });
  FixedFile fixed{file, *std::move(text), {}};
  Result<std::string> after = offline::EditText(fixed.before, edits);
  if (!after) return Error{file + ": " + after.error().message};
  fixed.after = *std::move(after);
  return fixed;
}

Status WriteFile(const std::string& file, const std::string& text) {
  const std::filesystem::path truth = std::filesystem::weakly_canonical(file);
  const std::filesystem::path beside = truth.string() + ".tpu-admission-new";
  std::error_code error;
  std::ofstream out(beside, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (out) {
    std::filesystem::permissions(beside, std::filesystem::status(truth, error).permissions(),
                                 error);
    std::filesystem::rename(beside, truth, error);
    if (!error) return OkStatus();
  }
  std::filesystem::remove(beside, error);
  return Error{file + ": cannot be written"};
}

}  // namespace tpu_admission::app
