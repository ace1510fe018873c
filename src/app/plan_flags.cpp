#include "app/plan_flags.h"

#include <regex>

#include "app/flags.h"
#include "tpu_admission/offline/plan.h"
#include "tpu_admission/workload/reservation.h"

namespace tpu_admission::app {
namespace {

// What becomes the name of Services and so part of host names.
const CLI::Validator kDnsLabel(
    [](const std::string& text) {
      static const std::regex kLabel("[a-z]([-a-z0-9]{0,38}[a-z0-9])?");
      return std::regex_match(text, kLabel)
                 ? std::string()
                 : "\"" + text + "\" is no name: at most 40 of a-z, 0-9 and -, a letter first";
    },
    "NAME");

// "1024", "1024Gi" or "1Ti".
void AddMemory(CLI::App& command, std::int64_t& gigabytes) {
  const auto read = [&gigabytes](const std::string& text) {
    static const std::regex kMemory("([1-9][0-9]{0,8})(G|Gi|GB|T|Ti|TB)?");
    std::smatch match;
    if (!std::regex_match(text, match, kMemory)) {
      throw CLI::ValidationError("--memory", "\"" + text + "\" is no amount such as 512Gi or 2Ti");
    }
    gigabytes = std::stoll(match[1]) * (match[2].str().starts_with('T') ? 1024 : 1);
  };
  command.add_option_function<std::string>("--memory", read, "HBM of all chips together, at least")
      ->take_last()
      ->type_name("AMOUNT");
}

// A variable of a script that is not set must not mean "any".
const CLI::Validator kNamed(
    [](const std::string& text) {
      return text.empty() ? std::string("is empty; name one, or leave the flag out")
                          : std::string();
    },
    "");

// A line of text that goes into a manifest as it is.
const CLI::Validator kPlain(
    [](const std::string& text) {
      if (text.empty()) return std::string("is empty; leave the flag out instead");
      static const std::regex kText("[A-Za-z0-9][-A-Za-z0-9._/:@]{0,253}");
      return std::regex_match(text, kText)
                 ? std::string()
                 : "\"" + text + "\" has a character that may not be there";
    },
    "TEXT");

const CLI::Validator kReservation(
    [](const std::string& text) {
      return workload::ReadReservation(text) ? std::string() : offline::NoReservation(text);
    },
    "NAME");

}  // namespace

void AddPlan(CLI::App& command, PlanOptions& options) {
  command
      .add_option("--accelerator", options.wish.accelerator,
                  "generation: v6e, trillium, tpu-v6e-slice; without it every one")
      ->check(kNamed);
  command.add_option("--chips", options.wish.chips, "chips in all")
      ->check(CLI::Range(1, 10'000'000));
  command.add_option("--topology", options.wish.topology, "shape of a slice: 4x4, 2x2x4")
      ->check(kNamed);
  command.add_option("--machine", options.wish.machine, "machine type: ct6e-standard-4t")
      ->check(kNamed);
  AddMemory(command, options.wish.memory_gb);
  command.add_option("--zone", options.wish.zone, "zone or region that must offer it")
      ->check(kNamed);
  command.add_option("--slices", options.wish.slices, "slices that share the chips")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_flag("--autopilot", options.wish.autopilot, "only what GKE Autopilot offers");
  const auto kinds = offline::Emittable();
  command.add_option("--emit", options.emit, "write this down instead")
      ->check(IsOneOf({kinds.begin(), kinds.end()}));
  command.add_option("--way", options.way, "number of the way that --emit writes down")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_flag("--spot", options.capacity.spot, "on Spot VMs");
  command.add_flag("--flex-start", options.capacity.flex_start, "by flex-start");
  command.add_option("--reservation", options.capacity.reservation, "from this reservation")
      ->check(kNamed)
      ->check(kReservation);
  command.add_option("--name", options.naming.name, "name of what is emitted")
      ->check(kDnsLabel)
      ->capture_default_str();
  command.add_option("--image", options.naming.image, "container image of what is emitted")
      ->check(kPlain)
      ->capture_default_str();
  AddFlag(command, "--catalog", options.catalog_file, "catalog to use instead of the built-in one")
      ->type_name("FILE");
  AddOutput(command, options.output, {"text", "json"});
  command.footer(
      "Examples:\n"
      "  tpu-admission plan --accelerator v5e --chips 64\n"
      "  tpu-admission plan --accelerator v6e --topology 4x4 --slices 2 --emit jobset\n"
      "  tpu-admission plan --chips 256 --zone us-east5-a --output json\n"
      "  tpu-admission plan --accelerator v6e --chips 16 --emit nodepool --spot");
}

}  // namespace tpu_admission::app
