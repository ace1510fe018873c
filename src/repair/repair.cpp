#include "tpu_admission/repair/repair.h"

#include <algorithm>
#include <span>
#include <utility>

#include "repair/bounds.h"
#include "repair/candidate.h"
#include "repair/faults.h"
#include "repair/phrases.h"
#include "repair/plan.h"
#include "repair/slip.h"
#include "tpu_admission/workload/node_selection.h"

namespace tpu_admission::repair {
namespace {

using k8s::JsonEdit;
using workload::Edits;

class Search {
 public:
  Search(const tpu::Catalog& catalog, k8s::JsonView object, const Proof& written, Reach reach,
         const Prover& prove, k8s::Arena& arena, std::size_t most)
      : catalog_(catalog),
        object_(object),
        written_(written),
        reach_(reach),
        cost_(CostOf(written)),
        base_proof_(written),
        prove_(prove),
        arena_(arena),
        left_(most * kOrdinaryCost) {}

  std::vector<Repair> Find() {
    const auto& faults = written_.faults;
    if (std::any_of(faults.begin(), faults.end(), [](const Fault& f) { return f.needs_a_name; })) {
      return {};
    }
    const bool has_plans = (FindRightKeys() && MakePlans()) || (DoWhatIsSaid() && MakePlans());
    std::optional<Repair> slip = OfASlip();
    if (!has_plans) plans_.clear();
    std::vector<Repair> repairs = has_plans ? OfPlansOrAllSay() : OneOrNone(AsAllSay());
    if (slip && (repairs.empty() || IsNearer(*slip, repairs.front()))) {
      std::erase_if(repairs,
                    [&](const Repair& other) { return Includes(other.edits, slip->edits); });
      repairs.insert(repairs.begin(), *std::move(slip));
      if (repairs.size() > kMostRepairs) repairs.pop_back();
    }
    return repairs;
  }

 private:
  static std::vector<Repair> OneOrNone(std::optional<Repair> repair) {
    return repair ? std::vector<Repair>{*std::move(repair)} : std::vector<Repair>();
  }

  // Many sets may need more proofs than there are, where what the findings say needs few.
  std::vector<Repair> OfPlansOrAllSay() {
    const std::size_t kept = kMostRounds * cost_;
    if (plans_.size() * cost_ + kept > left_) {
      std::vector<Repair> said = OneOrNone(AsAllSay());
      return said.empty() ? OfPlans() : said;
    }
    left_ -= kept;
    std::vector<Repair> found = OfPlans();
    left_ += kept;
    return found.empty() ? OneOrNone(AsAllSay()) : found;
  }

  std::vector<Repair> OfPlans() {
    if (plans_.size() * cost_ > left_) return {};  // each needs a proof
    std::vector<std::vector<Found>> sound(plans_.size());
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      // The sets before it have their best by then, those after it are as written.
      const Edits before = i == 0 ? base_ : sound[i - 1].front().edits;
      plans_[i].candidates = CandidatesFor(plans_[i].written, BaseObject());
      sound[i] = SoundOnes(plans_[i], before, i == 0 ? 0 : before.size(), i + 1 == plans_.size());
      if (sound[i].empty()) return {};
    }
    std::vector<Repair> repairs;
    // The first is the best of all sets, which the last proof covered; the others vary the last
    // set.
    for (const Found& last : sound.back()) {
      std::vector<const Found*> chosen;
      for (const auto& of_set : sound) chosen.push_back(&of_set.front());
      chosen.back() = &last;
      repairs.push_back(MakeRepair(base_proof_.workload, plans_, chosen, other_chips_));
    }
    return repairs;
  }

  // A slip in a label or an annotation makes much look wrong that is not, in other pod sets too:
  // one finding to follow may mend it all. What warns then was so before, though nobody could see
  // it, and is left to its author. So may a few pods more of one set that fills a slice with
  // others.
  std::optional<Repair> OfASlip() {
    constexpr std::size_t kMostTried = 4;
    std::size_t tried = 0;
    for (const Fault& fault : written_.faults) {
      const bool is_slip = std::all_of(fault.edits.begin(), fault.edits.end(), IsOfALabel);
      if (fault.edits.empty() || (!is_slip && plans_.size() < 2)) continue;
      if (tried++ == kMostTried || left_ < cost_) return std::nullopt;
      const Proof proof = Prove(fault.edits);
      const bool runs = std::all_of(proof.faults.begin(), proof.faults.end(),
                                    [&](const Fault& left) { return is_slip && left.only_warns; });
      if (!runs || proof.unreadable) continue;
      Repair repair = RepairBy(catalog_, written_, fault.edits, proof);
      if (!is_slip) TellOfOneSet(fault.pods, repair);
      return repair;
    }
    return OfATopology();
  }

  // Pods that fill slices with those of another set, but for labels that are not its.
  std::optional<Repair> OfATopology() {
    for (const OneTopology& one : TopologiesOfOthers(catalog_, written_)) {
      if (plans_.empty() && !one.is_of_leader) continue;
      if (left_ < cost_) return std::nullopt;
      const Proof proof = Prove(one.edits);
      if (proof.unreadable || !proof.faults.empty()) continue;
      const workload::PodSet* const now = SetAt(proof.workload, one.pods);
      if (now == nullptr || !FillsWithOthers(catalog_, proof.workload, *now)) continue;
      Repair repair = RepairBy(catalog_, written_, one.edits, proof);
      TellOfOneSet(one.pods, repair);
      if (one.is_of_leader) repair.chips_before = repair.chips_after;  // of whole slices
      return repair;
    }
    return std::nullopt;
  }

  // Of several sets that are at fault, one changes.
  void TellOfOneSet(std::string_view of, Repair& repair) const {
    repair.what = "all else as it is";
    if (const workload::PodSet* const pods = SetAt(written_.workload, of)) {
      const std::string name = NameBefore(written_.workload, *pods, false);
      repair.changes = (name.empty() && pods->row->leads ? "leader: " : name) + repair.changes;
    }
    repair.chips_before = ChipsBefore();
  }

  std::int64_t ChipsBefore() const {
    std::int64_t chips = other_chips_;
    for (const Plan& plan : plans_) {
      chips += plan.written.total_chips * plan.written.pods->scale.copies_or_one();
    }
    return chips;
  }

  // What holds no pods has no shape to look for, and many sets have too many: what the findings say
  // may be all there is to do.
  std::optional<Repair> AsAllSay() {
    Edits edits;
    for (std::size_t round = 0; round < kMostRounds && left_ >= cost_; ++round) {
      Proof proof = edits.empty() ? written_ : Prove(edits);
      if (proof.unreadable) return std::nullopt;
      std::erase_if(proof.faults, [](const Fault& fault) { return fault.is_beside; });
      if (proof.faults.empty()) {
        if (!std::all_of(plans_.begin(), plans_.end(), [&](const Plan& plan) {
              return ShapeIn(catalog_, proof, plan) || KeepsShape(proof, plan);
            })) {
          return std::nullopt;
        }
        Repair repair = RepairBy(catalog_, written_, edits, proof);
        if (!plans_.empty()) repair.chips_before = ChipsBefore();
        repair.what = "as the findings say";
        repair.changes = ChangesBySet(written_.workload, edits, true);
        repair.as_said = true;
        return repair;
      }
      if (!Append(proof.faults, nullptr, edits)) return std::nullopt;
    }
    return std::nullopt;
  }

  // What is not whole stays as it is: somebody excused that.
  bool KeepsShape(const Proof& proof, const Plan& plan) const {
    const workload::PodSet* const now = SetAt(proof.workload, plan.written.pods->pointer);
    const auto written = now == nullptr ? std::nullopt : ReadAll(catalog_, proof.workload, *now);
    return written && written->HasShapeOf(plan.written);
  }

  // What only adds labels to the edits of another leaves less to warn of, and as much as it is.
  bool OnlyAddsLabels(std::span<const JsonEdit> edits, std::span<const JsonEdit> other) const {
    return std::all_of(edits.begin(), edits.end(), [&](const JsonEdit& edit) {
      const bool is_new = IsOfALabel(edit) && !At(object_, edit.pointer).present();
      return is_new || std::find(other.begin(), other.end(), edit) != other.end();
    });
  }

  bool IsNearer(const Repair& slip, const Repair& other) const {
    if (slip.edits == other.edits) return written_.workload.pod_sets.size() > 1;
    return slip.edits.size() < other.edits.size() && !OnlyAddsLabels(other.edits, slip.edits);
  }

  // One for each faulty set; false if a person must decide something about one of them first.
  bool MakePlans() {
    plans_.clear();
    other_chips_ = 0;
    const workload::Workload& workload = base_proof_.workload;
    for (const workload::PodSet& pods : workload.pod_sets) {
      if (pods.scale.counted_by != nullptr) continue;  // planned with that set
      std::optional<Written> written = ReadAll(catalog_, workload, pods);
      if (!HasFaults(workload, pods)) {
        // The templates of a workflow run one after the other.
        if (written && pods.scale.is_counted()) other_chips_ += written->total_chips;
        continue;
      }
      if (!written) return false;
      if (SaysTopology(base_, pods)) written->topology_is_said = true;
      plans_.push_back({.written = *std::move(written)});
    }
    return !plans_.empty();
  }

  // The set, or one that is planned with it.
  bool HasFaults(const workload::Workload& workload, const workload::PodSet& pods) const {
    return std::any_of(written_.faults.begin(), written_.faults.end(), [&](const Fault& fault) {
      const workload::PodSet* const of = SetAt(workload, fault.pods);
      return of != nullptr && (of == &pods || of->scale.counted_by == &pods);
    });
  }

  // What stands under a misspelt key is as good as written; all is read with it.
  bool FindRightKeys() {
    base_ = RightKeys(written_.faults, object_);
    if (base_.empty()) return true;
    base_proof_ = Prove(base_);
    const auto says_other = [&](const Fault& fault) { return !AreApart(fault.edits, base_); };
    const auto& faults = base_proof_.faults;
    if (base_proof_.unreadable || std::any_of(faults.begin(), faults.end(), says_other)) {
      base_.clear();
      base_proof_ = written_;
    }
    has_right_keys_ = !base_.empty();
    return true;
  }

  // What the findings of sets that cannot be read as they are would change.
  bool DoWhatIsSaid() {
    base_.clear();
    has_right_keys_ = false;
    for (const Fault& fault : written_.faults) {
      const workload::PodSet* pods = SetAt(written_.workload, fault.pods);
      if (pods == nullptr || Read(catalog_, *pods)) continue;
      Edits joined = base_;  // two findings may say the same
      if (Join(fault.edits, joined)) base_ = std::move(joined);
    }
    if (base_.empty()) return false;
    base_proof_ = Prove(base_);
    return !base_proof_.unreadable;
  }

  k8s::JsonView BaseObject() { return k8s::Edited(object_, base_, arena_); }

  // Whether an edit writes over what somebody else is to fill in, such as Helm.
  bool WritesOverAPlaceholder(const Edits& edits) const {
    return std::any_of(edits.begin(), edits.end(), [&](const JsonEdit& edit) {
      return workload::IsPlaceholder(At(object_, edit.pointer).StringOr(""));
    });
  }

  Proof Prove(const Edits& edits) {
    left_ -= std::min(left_, cost_);
    const k8s::JsonView edited = k8s::Edited(object_, edits, arena_);
    if (WritesOverAPlaceholder(edits) || BreaksABound(object_, edited, written_.workload)) {
      Proof none;
      none.unreadable = true;
      return none;
    }
    return prove_(edited);
  }

  std::vector<Found> SoundOnes(Plan& plan, const Edits& before, std::size_t own, bool last) {
    std::vector<Found> found;
    const auto is_known = [&](const Edits& edits) {
      return std::any_of(found.begin(), found.end(), [&](const Found& other) {
        return Includes(std::span(edits).subspan(own), std::span(other.edits).subspan(other.own));
      });
    };
    // Of the sets before the last only the best is told.
    const std::size_t most = last ? kMostRepairs : 1;
    for (const Candidate& candidate : plan.candidates) {
      if (found.size() == most || left_ == 0) break;
      if (reach_ == Reach::kAsSaid &&
          !IsAsSaid(written_.faults, object_, plan.written, candidate) &&
          !KeepsMoreThanSaid(written_.faults, plan.written, candidate)) {
        continue;
      }
      Edits edits = before;
      const bool may_differ = reach_ == Reach::kAnyShape && has_right_keys_;
      if (!Join(candidate.edits, edits, may_differ ? base_.size() : 0) || is_known(edits)) continue;
      const std::optional<Proof> proof = Mend(plan, candidate, last, is_known, edits);
      if (!proof) continue;
      found.push_back({&candidate, std::move(edits), own, proof->beside, proof->leaves_more});
      // What comes long after the nearest is no choice beside it.
      left_ = std::min(left_, kMostAfterTheNearest * cost_);
    }
    PutFirst(plan.written, AsSaid(plan, before, own, last), found);
    KeepChipsFirst(plan.written, most, found);
    PutWhatRunsFirst(found);
    return found;
  }

  // What the findings say comes first, unless less mends as much, or more only labels.
  void PutFirst(const Written& written, std::optional<Found> said,
                std::vector<Found>& found) const {
    if (!said) return;
    const auto as_large = [&](const Found& other) {
      return other.target->total_chips() == said->target->total_chips();
    };
    if (!found.empty()) {
      const Found& nearest = found.front();
      if (as_large(nearest) && Includes(said->edits, nearest.edits)) return;
      if (OnlyAddsLabels(nearest.edits, said->edits)) return;
      if (OnlyMovesBounds(nearest.edits, said->edits)) return;
    }
    const bool is_second =
        !found.empty() && (KeepsMoreThanSaid(written_.faults, written, *found.front().target) ||
                           found.front().target->OnlyFillsHostsOf(written));
    std::erase_if(found, [&](const Found& other) {
      return as_large(other) && Includes(other.edits, said->edits);
    });
    found.insert(found.begin() + (is_second && !found.empty() ? 1 : 0), *std::move(said));
  }

  // What the findings themselves would change, so that both say the same.
  std::optional<Found> AsSaid(Plan& plan, const Edits& before, std::size_t own, bool last) {
    Edits edits = before;
    std::optional<Proof> proof;
    const auto mended = [&] {
      proof = Mended(
          plan, last, [](const Edits&) { return false; }, edits, true);
      return proof ? ShapeIn(catalog_, *proof, plan) : std::nullopt;
    };
    plan.said = mended();
    // A warning of its own says this, where it only warns.
    const auto indexed = plan.said ? IndexedOn(plan.written, *plan.said) : std::nullopt;
    if (indexed && Join({*indexed}, edits)) plan.said = mended();
    if (!plan.said) return std::nullopt;
    return Found{&*plan.said, std::move(edits), own, proof->beside, proof->leaves_more};
  }

  // Nothing if the workload has not the shape of the candidate once it is mended.
  template <typename IsKnown>
  std::optional<Proof> Mend(const Plan& plan, const Candidate& candidate, bool last,
                            const IsKnown& is_known, Edits& edits) {
    const std::size_t before = edits.size();
    std::optional<Proof> proof = Mended(plan, last, is_known, edits);
    if (!proof || edits.size() == before) return proof;
    const workload::PodSet* now = SetAt(proof->workload, plan.written.pods->pointer);
    const auto written = now != nullptr ? Read(catalog_, *now) : std::nullopt;
    return written && candidate.Is(*written) ? std::move(proof) : std::nullopt;
  }

  // Adds what the findings that are left would change, until there are none (of this set, or of
  // all with the last one), or the edits are known. `as_said`: what the findings say may bring a
  // warning that is named beside the repair, for nobody could see it before.
  template <typename IsKnown>
  std::optional<Proof> Mended(const Plan& plan, bool last, const IsKnown& is_known, Edits& edits,
                              bool as_said = false) {
    for (std::size_t round = 0; round < kMostRounds && left_ > 0; ++round) {
      Proof proof = edits.empty() ? written_ : Prove(edits);
      if (as_said) std::erase_if(proof.faults, [](const Fault& fault) { return fault.is_beside; });
      if (proof.unreadable) return std::nullopt;
      if (last ? proof.faults.empty() : !IsFaulty(proof.faults, plan.written)) return proof;
      if (!Append(proof.faults, last ? nullptr : &plan.written, edits) || is_known(edits)) break;
    }
    return std::nullopt;
  }

  static constexpr std::size_t kMostAfterTheNearest = 48;  // judgements

  const tpu::Catalog& catalog_;
  const k8s::JsonView object_;
  const Proof& written_;
  const Reach reach_;
  const std::size_t cost_;
  Edits base_;                   // of what cannot be read as it is
  bool has_right_keys_ = false;  // and no more
  Proof base_proof_;             // with these
  const Prover& prove_;
  k8s::Arena& arena_;
  std::vector<Plan> plans_;
  std::int64_t other_chips_ = 0;  // of the sets without a fault
  std::size_t left_;
};

}  // namespace

std::vector<Repair> FindRepairs(const tpu::Catalog& catalog, k8s::JsonView object,
                                const Proof& written, Reach reach, const Prover& prove,
                                k8s::Arena& arena, std::size_t most) {
  return Search(catalog, object, written, reach, prove, arena, most).Find();
}

}  // namespace tpu_admission::repair
