// Follows calls while they run, and cancels them. See tonnx/observer.h.
#ifndef TONNX_OBSERVER_HPP
#define TONNX_OBSERVER_HPP

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "tonnx/error.hpp"
#include "tonnx/observer.h"

#if __cplusplus >= 202002L && __has_include(<stop_token>)
#include <stop_token>
#endif

namespace tonnx {

// "none", "other", "program", ...; "unknown" for another number.
inline std::string category_name(tonnx_category category) { return tonnx_category_name(category); }

// An event, borrowed for the call of the observer.
class Event {
 public:
  explicit Event(const tonnx_event* event) : event_(event) {}
  tonnx_event_type kind() const { return tonnx_event_kind(event_); }
  tonnx_level level() const { return tonnx_event_level(event_); }
  tonnx_category category() const { return tonnx_event_category(event_); }
  std::string stage() const { return tonnx_event_stage(event_); }
  // Steps, or bytes, of the stage that are done, and how many there are; 0: unknown.
  std::int64_t done() const { return tonnx_event_done(event_); }
  std::int64_t total() const { return tonnx_event_total(event_); }
  bool is_bytes() const { return tonnx_event_is_bytes(event_) != 0; }
  std::string text() const { return tonnx_event_text(event_); }
  std::string module() const { return tonnx_event_module(event_); }
  std::string source() const { return tonnx_event_source(event_); }

 private:
  const tonnx_event* event_;
};

// Receives events on the thread of the call. The function returns void, or false to cancel the call, which then throws
// an Error with status TONNX_STATUS_CANCELLED. An exception of the function ends the call too: it is the cause() of its
// error.
class Observer {
 public:
  template <class Function, class = decltype(std::declval<Function&>()(std::declval<const Event&>()))>
  explicit Observer(Function observe) : handle_(make(wrap(std::move(observe)))) {}
#ifdef __cpp_lib_jthread
  // Cancels the call when a stop is requested.
  explicit Observer(std::stop_token stop)
      : Observer([stop = std::move(stop)](const Event&) { return !stop.stop_requested(); }) {}
  template <class Function>
  Observer(std::stop_token stop, Function observe)
      : Observer([stop = std::move(stop), observe = wrap(std::move(observe))](const Event& event) {
          return !stop.stop_requested() && observe(event);
        }) {}
#endif

  // The lowest level of log messages that it receives. Default: TONNX_LEVEL_INFO.
  Observer& level(tonnx_level v) {
    detail::call([&](tonnx_error** e) { return tonnx_observer_set_level(handle_.get(), v, e); });
    return *this;
  }
  const tonnx_observer* get() const { return handle_.get(); }

 private:
  using Observe = std::function<bool(const Event&)>;

  static tonnx_observer* make(Observe observe) {
    tonnx_observer* made = nullptr;
    detail::call([&](tonnx_error** e) {
      return tonnx_observer_new(
          &made, &Observer::run, new Observe(std::move(observe)),
          [](void* user) { delete static_cast<Observe*>(user); }, e);
    });
    return made;
  }

  template <class Function>
  static Observe wrap(Function observe) {
    if constexpr (std::is_void_v<decltype(observe(std::declval<const Event&>()))>)
      return [observe = std::move(observe)](const Event& event) mutable {
        observe(event);
        return true;
      };
    else
      return observe;
  }

  static std::int32_t run(const tonnx_event* event, void* user_data) {
    try {
      return (*static_cast<const Observe*>(user_data))(Event(event)) ? 0 : 1;
    } catch (const std::exception& e) {
      fail(event, e.what());
    } catch (...) {
      fail(event, "an exception that is not a std::exception");
    }
    return 1;
  }
  // Passes on the exception that is being handled.
  static void fail(const tonnx_event* event, const char* message) {
    tonnx_event_fail(event, message, detail::as_cause(std::current_exception()), &detail::delete_exception);
  }
  detail::Handle<tonnx_observer, tonnx_observer_free> handle_;
};

}  // namespace tonnx

#endif
