package org.tonnx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Who frees what, when, and on which thread. */
class LifetimeTest {
  @Test
  void closedObjectsAreRefusedAndMayBeClosedAgain() {
    Program program = Fixture.program();
    Tensor tensor = Tensor.of(new float[1], 1);
    Args args = Fixture.args();
    Options options = Fixture.options();
    Registry registry = Fixture.registry(Fixture::gatedSoftmax);
    Model model = program.export(args, options, registry);

    registry.close();
    assertThrows(IllegalStateException.class, () -> program.export(args, options, registry));
    args.close();
    assertThrows(IllegalStateException.class, () -> program.export(args));
    program.close();
    assertThrows(IllegalStateException.class, program::methods);
    assertThrows(IllegalStateException.class, args::count);
    assertThrows(IllegalStateException.class, registry::entries);
    tensor.close();
    assertThrows(IllegalStateException.class, tensor::dtype);
    assertThrows(IllegalStateException.class, () -> Args.of(tensor));
    assertTrue(model.bytes().length > 0);
    model.close();
    assertThrows(IllegalStateException.class, model::bytes);
    assertThrows(IllegalStateException.class, () -> model.verify(program, args));

    for (AutoCloseable object : List.of(program, tensor, args, registry, model)) {
      assertThrows(IllegalStateException.class, () -> use(object));
      close(object);
      close(object);
    }
  }

  @Test
  void objectsMayBeClosedInAnyOrder() {
    List<List<Integer>> orders = List.of(List.of(0, 1, 2, 3, 4), List.of(4, 3, 2, 1, 0), List.of(2, 0, 4, 1, 3));
    byte[] expected = Fixture.export(Fixture::gatedSoftmax).bytes();
    for (List<Integer> order : orders) {
      Tensor tensor = Tensor.of(new float[8], 2, 4);
      Args args = Args.of(tensor);
      Program program = Fixture.program();
      Registry registry = Fixture.registry(Fixture::gatedSoftmax);
      Model model = program.export(args, Fixture.options(), registry);
      AutoCloseable[] objects = {program, tensor, args, registry, model};
      for (int index : order) {
        close(objects[index]);
        if (index != 4 && order.indexOf(4) > order.indexOf(index)) {
          assertArrayEquals(expected, model.bytes());
        }
      }
    }
  }

  @Test
  void symbolicLivesAsLongAsItsRegistry() throws InterruptedException {
    Registry registry = new Registry();
    WeakReference<Object> alive = register(registry);
    Fixture.collectGarbage();
    Options options = Fixture.options();
    try (Program program = Fixture.program(); Args args = Fixture.args()) {
      program.export(args, options, registry).close();
      assertTrue(alive.get() != null);
      registry.add(Fixture.OPERATOR, 9, Fixture::gatedSoftmax);
      Fixture.collectGarbage();
      assertNull(alive.get(), "a replaced symbolic is let go");
    }

    alive = register(registry);
    registry.close();
    Fixture.collectGarbage();
    assertNull(alive.get(), "a closed registry lets its symbolics go");
  }

  @Test
  void symbolicIsLetGoWithAForgottenRegistry() throws InterruptedException {
    WeakReference<Object> alive = register(new Registry());
    for (int i = 0; i < 50 && alive.get() != null; i++) {
      Fixture.collectGarbage();
    }
    assertNull(alive.get());
  }

  @Test
  void causeIsLetGoWithItsException() throws InterruptedException {
    WeakReference<Object> alive = failure();
    Fixture.collectGarbage();
    assertNull(alive.get());
  }

  @Test
  void registryMayBeClosedByItsOwnSymbolic() throws InterruptedException {
    Registry registry = new Registry();
    registry.add(Fixture.OPERATOR, 9, (graph, node, inputs) -> {
      assertThrows(IllegalStateException.class, () -> registry.remove(Fixture.OPERATOR, 9));
      registry.close();
      Fixture.collectGarbage();
      return Fixture.gatedSoftmax(graph, node, inputs);
    });
    Options options = Fixture.options();
    try (Program program = Fixture.program(); Args args = Fixture.args()) {
      program.export(args, options, registry).close();
      assertThrows(IllegalStateException.class, () -> program.export(args, options, registry));
    }
  }

  @Test
  void garbageMayBeCollectedDuringAnExport() {
    Symbolic symbolic = (graph, node, inputs) -> {
      Fixture.collectGarbage();
      List<Value> results = Fixture.gatedSoftmax(graph, node, inputs);
      Fixture.collectGarbage();
      return results;
    };
    // Nothing but the call itself keeps any of these.
    Model model = Fixture.program().export(Fixture.args(), Fixture.options(), Fixture.registry(symbolic));
    assertArrayEquals(Fixture.export(Fixture::gatedSoftmax).bytes(), model.bytes());
  }

  @Test
  void forgottenObjectsAreFreed() throws InterruptedException {
    List<WeakReference<Object>> made = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      made.add(new WeakReference<>(Fixture.export(Fixture::gatedSoftmax)));
      made.add(new WeakReference<>(Fixture.program()));
      made.add(new WeakReference<>(Fixture.args()));
    }
    Fixture.collectGarbage();
    assertTrue(made.stream().allMatch(reference -> reference.get() == null));
    Fixture.export(Fixture::gatedSoftmax).close();
  }

  @Test
  void exportsRunAtOnceOnSharedObjects() throws Exception {
    byte[] expected = Fixture.export(Fixture::gatedSoftmax).bytes();
    CyclicBarrier inside = new CyclicBarrier(2);
    Symbolic symbolic = (graph, node, inputs) -> {
      inside.await(30, TimeUnit.SECONDS);
      List<Value> results = Fixture.gatedSoftmax(graph, node, inputs);
      inside.await(30, TimeUnit.SECONDS);
      return results;
    };
    Options options = Fixture.options();
    try (Program program = Fixture.program(); Args args = Fixture.args();
        Registry registry = Fixture.registry(symbolic)) {
      for (byte[] bytes : twice(() -> {
             try (Model model = program.export(args, options, registry)) {
               return model.bytes();
             }
           })) {
        assertArrayEquals(expected, bytes);
      }
    }
  }

  @Test
  void causesStayWithTheirThread() throws Exception {
    CyclicBarrier inside = new CyclicBarrier(2);
    List<Throwable> causes = twice(() -> {
      IllegalStateException mine = new IllegalStateException(Thread.currentThread().getName());
      Symbolic symbolic = (graph, node, inputs) -> {
        inside.await(30, TimeUnit.SECONDS);
        throw mine;
      };
      TonnxException failed = assertThrows(TonnxException.class, () -> Fixture.export(symbolic));
      assertEquals(mine, failed.getCause());
      return failed.getCause();
    });
    assertEquals(2, causes.stream().distinct().count());
  }

  @Test
  void closingWhileAnotherThreadExports() throws Exception {
    CyclicBarrier inside = new CyclicBarrier(2);
    Program program = Fixture.program();
    Args args = Fixture.args();
    Options options = Fixture.options();
    Registry registry = Fixture.registry((graph, node, inputs) -> {
      inside.await(30, TimeUnit.SECONDS);
      inside.await(30, TimeUnit.SECONDS);
      return Fixture.gatedSoftmax(graph, node, inputs);
    });
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<byte[]> bytes = thread.submit(() -> program.export(args, options, registry).bytes());
      inside.await(30, TimeUnit.SECONDS);
      assertThrows(IllegalStateException.class, args::addNone);
      for (AutoCloseable object : List.of(registry, args, program)) {
        close(object);
      }
      inside.await(30, TimeUnit.SECONDS);
      assertTrue(bytes.get(30, TimeUnit.SECONDS).length > 0);
    } finally {
      thread.shutdownNow();
    }
  }

  private static WeakReference<Object> failure() {
    IllegalStateException thrown = new IllegalStateException("failed");
    Symbolic failing = (graph, node, inputs) -> {
      throw thrown;
    };
    assertSame(thrown, assertThrows(TonnxException.class, () -> Fixture.export(failing)).getCause());
    return new WeakReference<>(thrown);
  }

  private static WeakReference<Object> register(Registry registry) {
    Object marker = new Object();
    registry.add(Fixture.OPERATOR, 9, (graph, node, inputs) -> {
      assertTrue(marker.hashCode() == marker.hashCode());
      return Fixture.gatedSoftmax(graph, node, inputs);
    });
    return new WeakReference<>(marker);
  }

  private static <T> List<T> twice(Callable<T> body) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      List<T> answers = new ArrayList<>();
      for (Future<T> answer : threads.invokeAll(Collections.nCopies(2, body))) {
        answers.add(answer.get());
      }
      return answers;
    } finally {
      threads.shutdownNow();
    }
  }

  private static void use(AutoCloseable object) {
    if (object instanceof Program) {
      ((Program) object).methods();
    } else if (object instanceof Tensor) {
      ((Tensor) object).dims();
    } else if (object instanceof Args) {
      ((Args) object).addNone();
    } else if (object instanceof Registry) {
      ((Registry) object).add("a::b", 9, (graph, node, inputs) -> null);
    } else {
      ((Model) object).check();
    }
  }

  private static void close(AutoCloseable object) {
    try {
      object.close();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
