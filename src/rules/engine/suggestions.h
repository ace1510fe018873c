// Changes that fit this very manifest: followed to the letter, each leaves chips, topology and
// counts that agree with each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rules/engine/subject.h"

namespace tpu_admission::rules {

// The chip counts that a container can have on the machines of this shape, rising.
std::vector<std::int64_t> PossibleChips(const Subject& subject);
// "1, 2 or 4"
std::string JoinNumbers(const std::vector<std::int64_t>& numbers);

// "set requests and limits of google.com/tpu to 4", with the count that must change with it: ", and
// parallelism and completions to 4". `what` is "requests and limits" or what else is to be set.
std::string ChipsChange(const Subject& subject, std::string_view what = "requests and limits");

// At most three topologies of the generation that come nearest to what the manifest asks for: of
// `wished_chips` chips (if known), on hosts with the chips that a pod asks for (if any are). Those
// that the pods fill as they are; if there is none, each says what must change with it: "4x4 (with
// parallelism and completions 4)". Never empty: words stand in for those of a generation that has
// none.
std::vector<std::string> NearestTopologies(const Subject& subject, std::int64_t wished_chips);
// The topologies that the pods of this pod set fill as they are, of `candidates`.
std::vector<std::string> FilledBy(const Subject& subject,
                                  const std::vector<tpu::Placement>& candidates);
// The chips that the whole pod set asks for; 0 if that is not known.
std::int64_t WishedChips(const Subject& subject);

}  // namespace tpu_admission::rules
