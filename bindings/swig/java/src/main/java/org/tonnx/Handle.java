package org.tonnx;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Owns a native object: freed when closed or, at the latest, after this was collected with its owner, but never during
 * a call that uses it. Reads may overlap; a change needs exclusive access, or is refused.
 */
final class Handle<P> {
  private static final Cleaner CLEANER = Cleaner.create();

  private final State<P> state;
  private final Cleaner.Cleanable cleanable;

  Handle(Object owner, P peer, Consumer<P> delete) {
    state = new State<>(owner.getClass().getSimpleName(), peer, delete);
    cleanable = CLEANER.register(this, state);
  }

  <R> R read(Function<P, R> body) {
    try (Use<P> use = use()) {
      return body.apply(use.peer());
    }
  }

  void run(Consumer<P> body) {
    try (Use<P> use = use()) {
      body.accept(use.peer());
    }
  }

  void change(Consumer<P> body) {
    enter(true);
    try {
      body.accept(state.peer);
    } finally {
      state.leave();
    }
  }

  /** Keeps the native object alive while the result is open. */
  Use<P> use() {
    enter(false);
    return new Use<>(state);
  }

  private void enter(boolean change) {
    try {
      state.enter(change);
    } finally {
      // Otherwise an object whose last use this is could be collected, and closed, during the call.
      Reference.reachabilityFence(this);
    }
  }

  void close() {
    cleanable.clean();
  }

  static final class Use<P> implements AutoCloseable {
    private final State<P> state;

    private Use(State<P> state) {
      this.state = state;
    }

    P peer() {
      return state.peer;
    }

    @Override
    public void close() {
      state.leave();
    }
  }

  private static final class State<P> implements Runnable {
    private final String noun;
    private final P peer;
    private final Consumer<P> delete;
    private int users;
    private boolean changing;
    private boolean closed;

    State(String noun, P peer, Consumer<P> delete) {
      this.noun = noun;
      this.peer = peer;
      this.delete = delete;
    }

    synchronized void enter(boolean change) {
      if (closed) {
        throw new IllegalStateException("this " + noun + " is closed");
      }
      if (changing || (change && users > 0)) {
        throw new IllegalStateException("this " + noun + " is in use by another call, so it cannot be changed");
      }
      users++;
      changing = change;
    }

    void leave() {
      boolean last;
      synchronized (this) {
        users--;
        changing = false;
        last = closed && users == 0;
      }
      if (last) {
        delete.accept(peer);
      }
    }

    @Override
    public void run() {
      boolean last;
      synchronized (this) {
        last = !closed && users == 0;
        closed = true;
      }
      if (last) {
        delete.accept(peer);
      }
    }
  }
}
