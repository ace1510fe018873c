// Repairs written into the text of a file. Pure.
#pragma once

#include <string>
#include <vector>

#include "tpu_admission/offline/check.h"

namespace tpu_admission::offline {

struct FixedText {
  std::string text;  // what it was, if nothing could be done
  // `document 2: Job "train" in line 30: why it cannot be changed in the text`; the first document
  // is 1, the line that of `text`.
  std::vector<std::string> problems;
  // `Job "train" in line 30: 4x8, 32 chips on 8 hosts (16 chips become 32)`
  std::vector<std::string> chip_changes;
  std::vector<Note> errors;  // what could not be read, at its place in what the text was
  bool is_template = false;  // its one error says so
};

// Makes of each object that something is told of the repair with this label, and adds the fixes of
// /mutate (tolerations, requests) to its pod templates; of one that has neither nothing is changed,
// nor of one that has other repairs than this: that is a problem.
// What is mended is checked and mended again until nothing changes, so that a second
// call changes nothing. `companions`: of the file that the text is a part of; nullptr: it is all of
// it.
FixedText FixText(const admission::Settings& settings, CheckWish wish, char label, std::string text,
                  const workload::Companions* companions = nullptr);

}  // namespace tpu_admission::offline
