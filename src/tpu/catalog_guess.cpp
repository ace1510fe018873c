// Labels that name no generation: what was meant, and whether it may be one of the future.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "tpu_admission/base/text.h"
#include "tpu_admission/tpu/catalog.h"
#include "tpu_admission/tpu/guess.h"

namespace tpu_admission::tpu {
namespace {

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

bool Take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Number and letters of a generation: 6 and e.
struct Number {
  std::string_view digits;
  std::string_view letters;
};

std::optional<Number> NumberAt(std::string_view text) {
  const auto digits = std::find_if_not(text.begin(), text.end(), IsDigit);
  const auto letters = std::find_if_not(digits, text.end(), IsLower);
  const bool ends = letters == text.end() || *letters == '-';
  if (digits == text.begin() || !ends) return std::nullopt;
  const std::size_t from = std::size_t(digits - text.begin());
  return Number{text.substr(0, from), text.substr(from, std::size_t(letters - digits))};
}

// Of a label: tpu7x, tpu8t-slice, tpu-v9-slice, tpu-8t-slice. (tpu-8 is Cloud TPU's count of
// chips.)
std::optional<Number> NumberOfLabel(std::string_view label) {
  if (Take(label, "tpu-v")) return NumberAt(label);
  const bool has_dash = Take(label, "tpu-");
  if (!has_dash && !Take(label, "tpu")) return std::nullopt;
  const std::optional<Number> number = NumberAt(label);
  return has_dash && number && number->digits == label ? std::nullopt : number;
}

// Of any name that the catalog has for a generation: a label, or v5e, v5litepod.
std::optional<Number> NumberOfName(std::string_view name) {
  if (Take(name, "v")) return NumberAt(name);
  return NumberOfLabel(name);
}

// True if the catalog's name stands for that generation. tpu-v6-slice lacks the letter that every
// generation 6 has: that is a slip, not the future.
bool Names(std::string_view name, const Number& number) {
  const std::optional<Number> known = NumberOfName(name);
  return known && known->digits == number.digits &&
         (number.letters.empty() || known->letters == number.letters);
}

bool Names(const Generation& generation, const Number& number) {
  const auto names = [&](const std::string& name) { return Names(name, number); };
  return names(generation.label) || names(generation.id) ||
         std::any_of(generation.aliases.begin(), generation.aliases.end(), names);
}

bool IsNameOf(const Generation& generation, std::string_view name) {
  const auto& aliases = generation.aliases;
  std::string_view machine = name;
  return name == generation.label || name == generation.id || name == generation.machine_family ||
         std::find(aliases.begin(), aliases.end(), name) != aliases.end() ||
         (Take(machine, generation.machine_family) && machine.starts_with('-'));
}

// v5litepod-16 -> v5litepod
std::string_view WithoutCount(std::string_view name) {
  const std::size_t dash = name.rfind('-');
  if (dash == name.npos || dash + 1 == name.size()) return name;
  const std::string_view count = name.substr(dash + 1);
  return std::all_of(count.begin(), count.end(), IsDigit) ? name.substr(0, dash) : name;
}

std::string_view WithoutSuffix(std::string_view name) {
  constexpr std::array<std::string_view, 5> kSuffixes = {"-podslice", "-pod-slice", "-slice",
                                                         "-pod", "-device"};
  for (const std::string_view suffix : kSuffixes) {
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

std::string_view WithoutTpu(std::string_view name) {
  if (!Take(name, "tpu-") && name.starts_with("tpuv")) Take(name, "tpu");
  return name;
}

const Generation* FindByName(std::span<const Generation> generations, std::string_view name) {
  const auto found =
      std::find_if(generations.begin(), generations.end(),
                   [name](const Generation& generation) { return IsNameOf(generation, name); });
  return found == generations.end() ? nullptr : &*found;
}

// "TPU v5e" -> tpu-v5e
std::string Plain(std::string_view text) {
  std::string plain = LowerCase(text);
  std::replace(plain.begin(), plain.end(), ' ', '-');
  return plain;
}

// A generation that no public page has is nobody's misspelling, and a label's number is hardly ever
// what is misspelt: tpu-v6-slice is not tpu-v3-slice.
std::string_view NearestLabel(std::span<const Generation> generations, std::string_view label) {
  constexpr std::size_t kMostEdits = 3;
  std::vector<std::string_view> labels;
  const std::optional<Number> number = NumberOfLabel(label);
  for (const Generation& generation : generations) {
    const std::optional<Number> other = NumberOfLabel(generation.label);
    const bool same_number = !number || (other && other->digits == number->digits);
    if (generation.documented && same_number) labels.push_back(generation.label);
  }
  return Nearest(label, labels, std::min(kMostEdits, label.size() / 3));
}

}  // namespace

const Generation* Catalog::Guess(std::string_view label) const {
  const std::string name = Plain(label);
  for (const WrongLabel& wrong : wrong_labels_) {
    if (wrong.label == name) return FindByLabel(wrong.meant);
  }
  const std::string_view bare = WithoutCount(name);
  const std::array<std::string_view, 5> forms = {name, bare, WithoutTpu(name), WithoutTpu(bare),
                                                 WithoutSuffix(WithoutTpu(bare))};
  for (const std::string_view form : forms) {
    if (const Generation* const found = FindByName(generations_, form)) return found;
  }
  if (LooksLikeNewGeneration(name)) return nullptr;
  return FindByLabel(NearestLabel(generations_, name));
}

bool Catalog::LooksLikeNewGeneration(std::string_view label) const {
  const std::optional<Number> number = NumberOfLabel(label);
  return number &&
         std::none_of(generations_.begin(), generations_.end(),
                      [&](const Generation& generation) { return Names(generation, *number); });
}

const Generation* GuessFor(const Catalog& catalog, std::string_view label,
                           const std::optional<Topology>& topology) {
  const Generation* const guess = catalog.Guess(label);
  if (guess == nullptr || !topology || guess->dimensions == topology->rank()) return guess;
  // Whose letter is written was meant, and the topology is the slip: v5p with 2x2.
  const std::string name = Plain(label);
  const std::optional<Number> written = NumberOfName(WithoutTpu(name));
  if (written && !written->letters.empty() && Names(*guess, *written)) return guess;
  const std::optional<Number> number = NumberOfLabel(guess->label);
  const Generation* best = nullptr;
  std::size_t ways = 0;
  for (const Generation& generation : catalog.generations()) {
    const std::optional<Number> other = NumberOfLabel(generation.label);
    const bool same_number = number && other && other->digits == number->digits;
    const PlacementList placements = generation.PlacementsOf(*topology);
    if (!generation.documented || !same_number || placements.size() <= ways) continue;
    best = &generation;
    ways = placements.size();
  }
  return best != nullptr ? best : guess;
}

std::optional<std::int64_t> CoresInName(std::string_view name) {
  constexpr std::size_t kMostDigits = 9;
  const std::size_t bare = WithoutCount(name).size();
  if (bare == name.size()) return std::nullopt;
  if (name.size() - bare > 1 + kMostDigits) return 0;
  return std::stoll(std::string(name.substr(bare + 1)));
}

std::string HintFor(const Catalog& catalog, std::string_view name) {
  constexpr std::size_t kMostEdits = 2;
  const std::string plain = Plain(name);
  const std::optional<Number> number = NumberOfName(WithoutTpu(plain));
  std::vector<std::string> ids;
  std::vector<std::string> near;
  std::vector<std::string_view> aliases;
  for (const Generation& generation : catalog.generations()) {
    const std::optional<Number> other = NumberOfName(generation.id);
    ids.push_back(generation.id);
    if (number && other && number->digits == other->digits) near.push_back(generation.id);
    aliases.insert(aliases.end(), generation.aliases.begin(), generation.aliases.end());
  }
  const std::string_view alias = Nearest(plain, aliases, std::min(kMostEdits, plain.size() / 3));
  if (near.empty() && !number && !alias.empty()) near.emplace_back(alias);
  return near.empty() ? "there are " + JoinOr(ids) : "did you mean " + JoinOr(near) + "?";
}

std::optional<Topology> Tidied(std::string_view text) {
  constexpr std::size_t kLongest = 32;
  std::string tidy;
  for (const char c : text.substr(0, kLongest)) {
    if (c == 'X' || c == '*' || c == ',')
      tidy += 'x';
    else if (c != ' ')
      tidy += c;
    if (tidy == "x" || tidy.ends_with("xx")) tidy.pop_back();
  }
  if (tidy.ends_with('x')) tidy.pop_back();
  return Topology::Parse(tidy);
}

std::optional<Topology> AsOffered(const Generation& generation, const Topology& topology) {
  std::vector<std::uint16_t> sides;
  for (const std::uint16_t side : topology.dimensions()) {
    if (side > 1) sides.push_back(side);
  }
  std::sort(sides.begin(), sides.end());
  while (int(sides.size()) < generation.dimensions) sides.push_back(1);
  const Topology same = Topology::Of(sides);
  if (same == topology) return std::nullopt;
  return generation.Has(same) ? std::optional(same) : std::nullopt;
}

}  // namespace tpu_admission::tpu
