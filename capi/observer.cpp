#include "tonnx/observer.h"

#include "guard.h"
#include "ir/utf8.h"

using tonnx::capi::guard;
using tonnx::capi::own_user_data;
using tonnx::capi::refuse;
using tonnx::capi::require;
using tonnx::ir::Category;
using tonnx::ir::EventKind;
using tonnx::ir::Level;

static_assert(TONNX_EVENT_LOG == static_cast<int>(EventKind::Log) &&
              TONNX_EVENT_WARNING == static_cast<int>(EventKind::Warning) &&
              TONNX_EVENT_PROGRESS == static_cast<int>(EventKind::Progress));
static_assert(TONNX_LEVEL_DEBUG == static_cast<int>(Level::Debug) &&
              TONNX_LEVEL_INFO == static_cast<int>(Level::Info) &&
              TONNX_LEVEL_WARNING == static_cast<int>(Level::Warning));
static_assert(TONNX_CATEGORY_NONE == static_cast<int>(Category::None) &&
              TONNX_CATEGORY_OTHER == static_cast<int>(Category::Other) &&
              TONNX_CATEGORY_PROGRAM == static_cast<int>(Category::Program) &&
              TONNX_CATEGORY_STATE == static_cast<int>(Category::State) &&
              TONNX_CATEGORY_TRAINING == static_cast<int>(Category::Training) &&
              TONNX_CATEGORY_SIZES == static_cast<int>(Category::Sizes) &&
              TONNX_CATEGORY_TRACE == static_cast<int>(Category::Trace) &&
              TONNX_CATEGORY_OPTIONS == static_cast<int>(Category::Options) &&
              TONNX_CATEGORY_SYMBOLIC == static_cast<int>(Category::Symbolic) &&
              TONNX_CATEGORY_KERNEL == static_cast<int>(Category::Kernel) &&
              TONNX_CATEGORY_VERIFICATION == static_cast<int>(Category::Verification));

struct tonnx_event {
  const tonnx::ir::Event& event;
  std::string text;
  mutable bool failed = false;
  mutable std::string failure = {};
  mutable std::shared_ptr<void> cause = {};
};

namespace tonnx::capi {

Callback::Callback(tonnx_observer_fn function, std::shared_ptr<void> user_data)
    : function_(function), user_data_(std::move(user_data)) {}

void Callback::receive(const ir::Event& event) {
  const backend::Untraced untraced;
  const tonnx_event given{.event = event, .text = ir::as_utf8(event.text)};
  const bool stops = function_(&given, user_data_.get()) != 0;
  if (given.failed) throw ir::Cancelled(given.failure, given.cause);
  if (stops) throw ir::Cancelled();
}

}  // namespace tonnx::capi

tonnx_status tonnx_observer_new(tonnx_observer** out, tonnx_observer_fn callback, void* user_data,
                                tonnx_destroy_fn destroy, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    std::shared_ptr<void> owned = own_user_data(user_data, destroy);
    require(out, "out");
    if (!callback) refuse("argument 'callback' is NULL");
    auto made = std::make_unique<tonnx_observer>();
    made->callback = std::make_shared<tonnx::capi::Callback>(callback, std::move(owned));
    *out = made.release();
  });
}

tonnx_status tonnx_observer_set_level(tonnx_observer* observer, tonnx_level level, tonnx_error** error) {
  return guard(error, [&] {
    require(observer, "observer");
    if (level < TONNX_LEVEL_DEBUG || level > TONNX_LEVEL_WARNING)
      refuse("level " + std::to_string(level) + " is unknown");
    observer->callback->set_level(static_cast<Level>(level));
  });
}

void tonnx_observer_free(tonnx_observer* observer) { tonnx::capi::destroy(observer); }

tonnx_event_type tonnx_event_kind(const tonnx_event* event) {
  return event ? static_cast<int32_t>(event->event.kind) : 0;
}
tonnx_level tonnx_event_level(const tonnx_event* event) { return event ? static_cast<int32_t>(event->event.level) : 0; }
tonnx_category tonnx_event_category(const tonnx_event* event) {
  return event ? static_cast<int32_t>(event->event.category) : 0;
}
const char* tonnx_category_name(tonnx_category category) {
  switch (category) {
    case TONNX_CATEGORY_NONE: return "none";
    case TONNX_CATEGORY_OTHER: return "other";
    case TONNX_CATEGORY_PROGRAM: return "program";
    case TONNX_CATEGORY_STATE: return "state";
    case TONNX_CATEGORY_TRAINING: return "training";
    case TONNX_CATEGORY_SIZES: return "sizes";
    case TONNX_CATEGORY_TRACE: return "trace";
    case TONNX_CATEGORY_OPTIONS: return "options";
    case TONNX_CATEGORY_SYMBOLIC: return "symbolic";
    case TONNX_CATEGORY_KERNEL: return "kernel";
    case TONNX_CATEGORY_VERIFICATION: return "verification";
    default: return "unknown";
  }
}
const char* tonnx_event_stage(const tonnx_event* event) { return event ? event->event.stage : ""; }
int64_t tonnx_event_done(const tonnx_event* event) { return event ? event->event.done : 0; }
int64_t tonnx_event_total(const tonnx_event* event) { return event ? event->event.total : 0; }
int32_t tonnx_event_is_bytes(const tonnx_event* event) { return event && event->event.in_bytes; }
const char* tonnx_event_text(const tonnx_event* event) { return event ? event->text.c_str() : ""; }
const char* tonnx_event_module(const tonnx_event* event) { return event ? event->event.module.c_str() : ""; }
const char* tonnx_event_source(const tonnx_event* event) { return event ? event->event.source.c_str() : ""; }

void tonnx_event_fail(const tonnx_event* event, const char* message, void* cause, tonnx_destroy_fn destroy) {
  tonnx::capi::answer(0, [&] {
    std::shared_ptr<void> owned = tonnx::capi::own_cause(cause, destroy);
    if (!event) return 0;
    event->failed = true;
    event->cause = std::move(owned);
    event->failure = message && *message ? message : "the observer failed and reported no reason";
    return 0;
  });
}
