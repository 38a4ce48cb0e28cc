#ifndef TONNX_OBSERVER_H
#define TONNX_OBSERVER_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* Follows calls while they run, and cancels them. An observer is set on the options of exports, traces,
 * verifications, runs of files and saves. It receives log messages, warnings and progress.
 *
 * Progress is reported at the start of each stage, and then about every 50 ms. If the callback returns a value other
 * than 0, the call ends with TONNX_STATUS_CANCELLED: within 0.2 s, unless a single operator of LibTorch, a callback or
 * LibTorch's compilation of a long script takes longer (1 to 6 s for some thousand operators). No file is left, and the
 * objects of the call can be used again, except a trace, which has ended. The traced code itself runs without events;
 * it can end itself.
 *
 * Threads. The callback runs on the thread of the call, never after the call. Several threads may use one observer; its
 * callback then runs on each of them.
 *
 * Calls in the callback. The callback may call tonnx, and these calls have only the observers of their own options.
 * They must not use the handles of the observed call that are not const there, nor its program: a TorchScript program
 * that the observed call is reading or running is refused with TONNX_STATUS_ARGUMENT. LibTorch may be in another mode
 * (without gradients, for example) than outside of the call.
 *
 * An observer costs a few microseconds for each event. Without observer no event is made. */

/* Kinds of events. */
typedef int32_t tonnx_event_type;
enum {
  TONNX_EVENT_LOG = 0,      /* a decision: which lowering was used, why a loop stayed, what was folded */
  TONNX_EVENT_WARNING = 1,  /* a warning, when it is found: also if the call fails later, or drops the attempt */
  TONNX_EVENT_PROGRESS = 2, /* how far a stage is */
};

/* Levels of log messages. */
typedef int32_t tonnx_level;
enum {
  TONNX_LEVEL_DEBUG = 0,   /* each operator */
  TONNX_LEVEL_INFO = 1,    /* each larger step */
  TONNX_LEVEL_WARNING = 2, /* warnings */
};

/* What a warning is about. Later versions may add categories. */
typedef int32_t tonnx_category;
enum {
  TONNX_CATEGORY_NONE = 0, /* not a warning */
  TONNX_CATEGORY_OTHER = 1,
  TONNX_CATEGORY_PROGRAM = 2,       /* a construct of the program was changed or dropped */
  TONNX_CATEGORY_STATE = 3,         /* the program writes to memory that outlives the call */
  TONNX_CATEGORY_TRAINING = 4,      /* modules are not in the mode of the export */
  TONNX_CATEGORY_SIZES = 5,         /* an axis is fixed, or the model is wrong at some sizes */
  TONNX_CATEGORY_TRACE = 6,         /* what a recording does not contain */
  TONNX_CATEGORY_OPTIONS = 7,       /* an option has no effect, or another one */
  TONNX_CATEGORY_SYMBOLIC = 8,      /* a symbolic returned an incomplete result */
  TONNX_CATEGORY_KERNEL = 9,        /* ONNX Runtime has no kernel for an operator of the model */
  TONNX_CATEGORY_VERIFICATION = 10, /* what could not be verified */
};

/* Receives an event, borrowed for the call. Returns 0 to go on, any other value to cancel. */
typedef int32_t(TONNX_CALL *tonnx_observer_fn)(const tonnx_event *event, void *user_data);

/* destroy(user_data) is called after the observer is freed and all options and running calls have released it, also if
 * this fails; destroy may be NULL. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_observer_new(tonnx_observer **out, tonnx_observer_fn callback,
                                                                     void *user_data, tonnx_destroy_fn destroy,
                                                                     tonnx_error **error);
/* The lowest level of log messages that it receives. Default: TONNX_LEVEL_INFO. Warnings and progress are always
 * received. Must be called before a call uses the observer. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_observer_set_level(tonnx_observer *observer, tonnx_level level,
                                                                           tonnx_error **error);
TONNX_API void TONNX_CALL tonnx_observer_free(tonnx_observer *observer);

/* Getters of an event. Strings are borrowed from it. They accept NULL and return 0 or "". */
TONNX_API tonnx_event_type TONNX_CALL tonnx_event_kind(const tonnx_event *event);
TONNX_API tonnx_level TONNX_CALL tonnx_event_level(const tonnx_event *event);
TONNX_API tonnx_category TONNX_CALL tonnx_event_category(const tonnx_event *event);
/* Constant name of a category: "none", "other", "program", ...; "unknown" for another number. */
TONNX_API const char *TONNX_CALL tonnx_category_name(tonnx_category category);
/* The stage of the call: "import", "program passes", "lowering", "model passes", "names and checker", "trace",
 * "verification", "search" or "writing". */
TONNX_API const char *TONNX_CALL tonnx_event_stage(const tonnx_event *event);
/* Steps of the stage that are done, and how many there are; 0: unknown. A step is an operator, a pass, a run or a
 * comparison. */
TONNX_API int64_t TONNX_CALL tonnx_event_done(const tonnx_event *event);
TONNX_API int64_t TONNX_CALL tonnx_event_total(const tonnx_event *event);
/* 1 if the steps are bytes of a file. */
TONNX_API int32_t TONNX_CALL tonnx_event_is_bytes(const tonnx_event *event);
/* Message of a log or a warning, in one or more lines; "" for progress. */
TONNX_API const char *TONNX_CALL tonnx_event_text(const tonnx_event *event);
/* Module path ("layer1.0.conv1") and source line ("model.py:12") of the operator that it is about; "" if unknown. */
TONNX_API const char *TONNX_CALL tonnx_event_module(const tonnx_event *event);
TONNX_API const char *TONNX_CALL tonnx_event_source(const tonnx_event *event);

/* Reports that the callback itself failed: the call ends with TONNX_STATUS_CALLBACK and this message. cause
 * and destroy as in tonnx_graph_fail. Must be the last call of the callback. */
TONNX_API void TONNX_CALL tonnx_event_fail(const tonnx_event *event, const char *message, void *cause,
                                           tonnx_destroy_fn destroy);

TONNX_END_DECLS

#endif
