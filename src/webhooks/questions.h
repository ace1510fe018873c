// What is asked about an object in CEL, to find out whether it has to do with TPUs.
#pragma once

#include <string>
#include <string_view>

#include "tpu_admission/workload/kinds.h"

namespace tpu_admission::webhooks {

// Whether pods that use no TPU, but tolerate the taint of TPU nodes, are asked for too.
enum class Guests { kLeftOut, kAskedFor };

// About a pod template called `template`: an object with a spec, or the spec itself.
std::string AboutTemplate(Guests guests);

// One `... ||` for each of the user's own kinds: they are sent whole. We do not write conditions of
// them, which would be as long as all the others.
std::string AboutOwnKinds(const workload::KindTable& kinds, std::string_view indent);

// One `... ||` for each form of choice in the table (node labels, TPU priorities, claims), and for
// each kind that is sent whole: a PathwaysJob is for TPUs.
std::string AboutChoices();

// All places of pod templates in the built-in kinds, as one CEL list.
std::string AllTemplates();

}  // namespace tpu_admission::webhooks
