package org.tonnx;

import java.lang.reflect.Method;

/** The kind of the current thread. Virtual threads exist from Java 21 on. */
final class PlatformThread {
  private static final Method IS_VIRTUAL = method();

  private PlatformThread() {}

  /** Refuses a virtual thread, which may move to another thread of the system at any call that blocks. */
  static void require(String what) {
    if (isVirtual()) {
      throw new TonnxException(Status.ARGUMENT, "ArgumentError",
          what + " belongs to one thread of the system, and this is a virtual thread: call it on a platform thread",
          null);
    }
  }

  private static boolean isVirtual() {
    try {
      return IS_VIRTUAL != null && (Boolean) IS_VIRTUAL.invoke(Thread.currentThread());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Method method() {
    try {
      return Thread.class.getMethod("isVirtual");
    } catch (NoSuchMethodException e) {
      return null;
    }
  }
}
