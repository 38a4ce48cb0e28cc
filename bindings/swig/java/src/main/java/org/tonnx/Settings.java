package org.tonnx;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** What a native object of options is to be told, in order, when it is made. */
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

  /** A new object that was told all of them; the caller deletes it. */
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
