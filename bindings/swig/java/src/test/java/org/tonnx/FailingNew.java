package org.tonnx;

/**
 * Makes allocations of native code fail, in a process with the library of TONNX_FAILING_NEW preloaded. Not for calls
 * that create JSON, whose values allocate in their destructors.
 */
final class FailingNew {
  static {
    System.load(System.getenv("TONNX_FAILING_NEW"));
  }

  private FailingNew() {}

  /**
   * After `succeed` further allocations of this thread, `fail` ones fail. Returns how many failed since the last call.
   */
  private static native long set(long succeed, long fail);

  /**
   * Repeats a call while so many of its allocations fail, at later and later ones. Passes on any exception but those of
   * memory. Returns how often memory ran out.
   */
  static int repeat(Runnable call, long... failures) {
    int count = 0;
    call.run(); // loads the classes
    for (long fail : failures) {
      for (long succeed = 0;; succeed += 1 + succeed / 16) {
        set(succeed, fail);
        try {
          call.run();
        } catch (TonnxException e) {
          set(0, 0);
          if (e.status() != Status.MEMORY) {
            throw e;
          }
          count++;
          continue;
        } catch (OutOfMemoryError e) {
          set(0, 0);
          count++;
          continue;
        }
        if (set(0, 0) == 0) {
          break;
        }
      }
    }
    return count;
  }
}
