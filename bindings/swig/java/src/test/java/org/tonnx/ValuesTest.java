package org.tonnx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tonnx.internal.Native;

/** Tensors, arguments and options. */
class ValuesTest {
  @Test
  void tensorKeepsTypeShapeAndElements() {
    try (Tensor tensor = Tensor.of(new float[] {1, 2.5f, -3, 4, 5, 6}, 2, 3)) {
      assertEquals(Dtype.FLOAT32, tensor.dtype());
      assertArrayEquals(new long[] {2, 3}, tensor.dims());
      float[] back = new float[6];
      tensor.buffer().asFloatBuffer().get(back);
      assertArrayEquals(new float[] {1, 2.5f, -3, 4, 5, 6}, back);
    }
  }

  @Test
  void tensorTakesEachArrayOfNumbers() {
    assertEquals(2.5, Tensor.of(new double[] {2.5}, 1).buffer().getDouble());
    assertEquals(-7, Tensor.of(new int[] {-7}, 1).buffer().getInt());
    assertEquals(1L << 40, Tensor.of(new long[] {1L << 40}).buffer().getLong());
    Tensor bool = Tensor.of(new boolean[] {true, false}, 2);
    assertEquals(Dtype.BOOL, bool.dtype());
    assertArrayEquals(new byte[] {1, 0}, bool.buffer().array());
    Tensor bytes = Tensor.of(Dtype.UINT8, new byte[] {-1, 1}, 2);
    assertEquals(Dtype.UINT8, bytes.dtype());
    assertArrayEquals(new byte[] {-1, 1}, bytes.buffer().array());
  }

  @Test
  void tensorMayBeEmpty() {
    Tensor tensor = Tensor.of(new float[0], 0, 4);
    assertArrayEquals(new long[] {0, 4}, tensor.dims());
    assertEquals(0, tensor.buffer().capacity());
  }

  @Test
  void tensorRefusesAWrongSize() {
    TonnxException refused = assertThrows(TonnxException.class, () -> Tensor.of(new float[5], 2, 3));
    assertEquals(Status.ARGUMENT, refused.status());
    assertEquals(Status.ARGUMENT, assertThrows(TonnxException.class, () -> Tensor.fromTorch(0)).status());
  }

  @Test
  void libtorchHasAVersion(@TempDir Path folder) {
    assertEquals(Status.FILE, assertThrows(TonnxException.class, () -> Tonnx.loadLibtorch(folder)).status());
    Program.compile("def forward(self, x):\n    return x\n").close();
    int version = Tonnx.libtorchVersion();
    assertTrue(Tonnx.buildInfo().startsWith("LibTorch " + (version >> 16) + "." + (version >> 8 & 0xFF) + ","));
  }

  @Test
  void dtypesAreThoseOfTheLibrary() {
    int number = Tonnx.versionNumber();
    assertEquals((number >> 16) + "." + (number >> 8 & 0xFF) + "." + (number & 0xFF), Tonnx.version());
    for (Dtype dtype : Dtype.values()) {
      assertEquals(Native.dtypeName(dtype.code), dtype.toString());
    }
  }

  @Test
  void statusesAreThoseOfTheLibrary() {
    assertTrue(Tonnx.buildInfo().contains("LibTorch"));
    for (Status status : Status.values()) {
      assertEquals(Native.statusName(status.ordinal() + 1), status.name().toLowerCase(Locale.ROOT));
    }
  }

  @Test
  void argsNestAndCount() {
    try (Tensor tensor = Tensor.of(new long[] {1}, 1); Args args = new Args()) {
      args.add(tensor).add(3).add(0.5).add(true).add("ж😀").addNone();
      args.beginList().add(1).add(2).end();
      args.beginTuple().add(tensor).end();
      args.beginDict().key("k").add(1).end();
      args.key("mask").add(tensor);
      assertEquals(10, args.count());
      assertEquals(Status.ARGUMENT, assertThrows(TonnxException.class, args::end).status());
    }
  }

  @Test
  void argsOfAMissingFile() {
    TonnxException missing = assertThrows(TonnxException.class, () -> Args.load(Path.of("/no/such/ж.pt")));
    assertEquals(Status.FILE, missing.status());
    assertTrue(missing.getMessage().contains("/no/such/ж.pt"), missing.getMessage());
  }

  @Test
  void nullsAreRefused() {
    assertThrows(NullPointerException.class, () -> Tensor.of((float[]) null, 1));
    assertThrows(NullPointerException.class, () -> Tensor.of(Dtype.UINT8, null, 1));
    assertThrows(NullPointerException.class, () -> Tensor.of(null, new byte[1], 1));
    assertThrows(NullPointerException.class, () -> Tensor.of(new float[1], (long[]) null));
    assertThrows(NullPointerException.class, () -> new Args().add((Tensor) null));
    assertThrows(NullPointerException.class, () -> new Args().add((String) null));
    assertThrows(NullPointerException.class, () -> new Args().key(null));
    assertThrows(NullPointerException.class, () -> Args.load(null));
    assertThrows(NullPointerException.class, () -> new Options().method(null));
    assertThrows(NullPointerException.class, () -> new Options().training(null));
    assertThrows(NullPointerException.class, () -> new Options().dynamicAxis("x", 0, null));
    assertThrows(NullPointerException.class, () -> new Registry().add(null, 9, Fixture::gatedSoftmax));
    assertThrows(NullPointerException.class, () -> new Registry().add("a::b", 9, null));
    assertThrows(NullPointerException.class, () -> new Attributes().setString("a", null));
    assertThrows(NullPointerException.class, () -> new Attributes().setStrings("a", "b", null));
    assertThrows(NullPointerException.class, () -> Program.load((Path) null));
    assertThrows(NullPointerException.class, () -> Program.load((byte[]) null));
    assertThrows(NullPointerException.class, () -> Operators.load(null));
    assertThrows(NullPointerException.class, () -> Operators.register(null));
    assertThrows(NullPointerException.class, () -> Tonnx.checkFile(null));
  }

  @Test
  void textsHoldNoNul() {
    assertEquals(Status.ARGUMENT, refusal(new Options().inputName("a\0b")).status());
  }

  @Test
  void optionsRefuseWhatDoesNotExist() {
    assertEquals(Status.ARGUMENT, refusal(new Options().opset(Tonnx.newestOpset() + 1)).status());
    Options options = new Options();
    options.opset(Tonnx.oldestOpset()).opset(Tonnx.defaultOpset()).training(Training.PRESERVE);
    options.initializersAsInputs(InitializersAsInputs.ALWAYS).docStrings(true).check(false).constantFolding(false);
    options.exportParams(false).dynamicAxis("x", -1);
    try (Program program = Fixture.program(); Args args = Fixture.args()) {
      assertTrue(program.text(args, options, TextFormat.SHORT).contains(Fixture.OPERATOR));
    }
  }

  private static TonnxException refusal(Options options) {
    try (Program program = Fixture.program(); Args args = Fixture.args()) {
      return assertThrows(TonnxException.class, () -> program.export(args, options));
    }
  }
}
