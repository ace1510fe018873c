// The connections of one thread, in the order in which they make room for others at the cap.
//
// Newcomers, which have had no good answer yet, and proven ones, which have, are two queues, each
// with who has done nothing for longest in front. Belongs to its thread, so nothing here is locked.
// Moving up is moving a list node: no allocation on the way of a request.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <optional>

#include "tpu_admission/base/lifetime.h"

namespace tpu_admission::net {

class Connection {
 public:
  using Time = std::chrono::steady_clock::time_point;

  virtual ~Connection() = default;
  virtual void CheckDeadline(Time now) = 0;  // ends the pending operation if it is too late
  virtual void EndIfIdle() = 0;              // says goodbye if it is between two requests
  virtual void Evict() = 0;                  // closes at once and returns its place at the gate
};

class ConnectionList {
 public:
  using Time = Connection::Time;
  struct Entry;
  using Queue = std::list<Entry>;
  struct Entry {
    Connection* connection;
    Queue* queue;
    Time since;  // when it last came, began or finished something
    bool answering = false;
  };
  using Handle = Queue::iterator;

  // A peer gets this long to read its answer before it may be evicted.
  static constexpr std::chrono::milliseconds kAnswerGrace{250};

  Handle Add(Connection& connection TPU_ADMISSION_LIFETIME_BOUND, Time now) {
    return newcomers_.insert(newcomers_.end(), Entry{&connection, &newcomers_, now});
  }
  void Remove(Handle entry) { entry->queue->erase(entry); }

  bool IsProven(Handle entry) const { return entry->queue == &proven_; }
  void Prove(Handle entry) {
    if (entry->queue == &newcomers_) Move(entry, proven_);
  }
  void MarkAnswering(Handle entry, Time now) { Touch(entry, now, true); }
  void MarkWaiting(Handle entry, Time now) { Touch(entry, now, false); }

  // Who could be evicted at `now`, and since when it has done nothing.
  struct Candidates {
    std::size_t newcomers = 0;  // all of them
    std::optional<Time> newcomer;
    std::optional<Time> proven;
  };
  Candidates CandidatesAt(Time now) {
    return {newcomers_.size(), SinceOf(Find(newcomers_, now), newcomers_),
            SinceOf(Find(proven_, now), proven_)};
  }

  // False if there is none. The connection leaves the list of its own when it unwinds; until then
  // it is not found again.
  bool EvictNewcomer(Time now) { return EvictFrom(newcomers_, now); }
  bool EvictProven(Time now) { return EvictFrom(proven_, now); }

  // `visit` may not add or remove connections.
  template <typename Visit>
  void ForEach(Visit visit) {
    for (Queue* const queue : {&newcomers_, &proven_, &evicted_}) {
      for (Entry& entry : *queue) visit(*entry.connection);
    }
  }

 private:
  void Move(Handle entry, Queue& queue) {
    queue.splice(queue.end(), *entry->queue, entry);
    entry->queue = &queue;
  }
  void Touch(Handle entry, Time now, bool answering) {
    entry->since = now;
    entry->answering = answering;
    entry->queue->splice(entry->queue->end(), *entry->queue, entry);
  }
  static Handle Find(Queue& queue, Time now) {
    Handle entry = queue.begin();
    while (entry != queue.end() && entry->answering && now - entry->since < kAnswerGrace) ++entry;
    return entry;
  }
  static std::optional<Time> SinceOf(Handle entry, const Queue& queue) {
    if (entry == queue.end()) return std::nullopt;
    return entry->since;
  }
  bool EvictFrom(Queue& queue, Time now) {
    const Handle victim = Find(queue, now);
    if (victim == queue.end()) return false;
    Move(victim, evicted_);
    victim->connection->Evict();
    return true;
  }

  Queue newcomers_;
  Queue proven_;
  Queue evicted_;
};

}  // namespace tpu_admission::net
