package org.tonnx;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The calls that configure a native object of options after its creation, in order. */
final class Settings<P> {
  private final List<Consumer<P>> all = new ArrayList<>();
  private final Supplier<P> make;
  private final Consumer<P> delete;

  Settings(Supplier<P> make, Consumer<P> delete) {
    this.make = make;
    this.delete = delete;
  }

  void add(Consumer<P> setting) {
    all.add(setting);
  }

  /** Creates an object and applies all settings; the caller deletes it. */
  P peer() {
    NativeLibrary.require();
    P peer = make.get();
    try {
      all.forEach(setting -> setting.accept(peer));
    } catch (RuntimeException | Error e) {
      delete.accept(peer);
      throw e;
    }
    return peer;
  }
}
