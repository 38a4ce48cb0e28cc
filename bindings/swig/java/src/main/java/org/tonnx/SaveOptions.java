package org.tonnx;

import java.util.Objects;
import org.tonnx.internal.NativeSaveOptions;

/** How to save a model. What is not set has its default. */
public final class SaveOptions {
  private final Settings<NativeSaveOptions> settings =
      new Settings<>(NativeSaveOptions::new, NativeSaveOptions::delete);

  /** All defaults. */
  public SaveOptions() {}

  /**
   * Where to store the weights. Default: {@link ExternalData#AUTO}.
   *
   * @param externalData the place
   * @return this
   */
  public SaveOptions externalData(ExternalData externalData) {
    int code = externalData.code;
    settings.add(peer -> peer.externalData(code));
    return this;
  }

  /**
   * Follows and cancels the calls with these options.
   *
   * @param observer the observer
   * @return this
   */
  public SaveOptions observer(Observer observer) {
    Objects.requireNonNull(observer, "observer");
    settings.add(peer -> observer.lend(peer::observer));
    return this;
  }

  NativeSaveOptions peer() {
    return settings.peer();
  }
}
