#ifndef TONNX_SAVE_OPTIONS_HPP
#define TONNX_SAVE_OPTIONS_HPP

#include "tonnx/observer.hpp"
#include "tonnx/save_options.h"

namespace tonnx {

// How to save a model.
class SaveOptions {
 public:
  SaveOptions() {
    tonnx_save_options* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_save_options_new(&made, e); });
    handle_.reset(made);
  }

  // Where the weights are written. Default: TONNX_EXTERNAL_DATA_AUTO.
  SaveOptions& external_data(tonnx_external_data v) {
    return run([&](auto* o, auto** e) { return tonnx_save_options_set_external_data(o, v, e); });
  }
  // Observes the calls with these options. If it cancels, no file appears.
  SaveOptions& observer(const Observer& v) {
    return run([&](auto* o, auto** e) { return tonnx_save_options_set_observer(o, v.get(), e); });
  }

  const tonnx_save_options* get() const { return handle_.get(); }

 private:
  template <class Call>
  SaveOptions& run(Call&& body) {
    detail::call([&](tonnx_error** e) { return body(handle_.get(), e); });
    return *this;
  }
  detail::Handle<tonnx_save_options, tonnx_save_options_free> handle_;
};

}  // namespace tonnx

#endif
