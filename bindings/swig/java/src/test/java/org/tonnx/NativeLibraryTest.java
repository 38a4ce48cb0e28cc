package org.tonnx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the native library is looked for; each case in a fresh JVM. */
class NativeLibraryTest {
  /** Tells the version, or twice how the native library cannot be loaded. */
  static final class Main {
    public static void main(String[] arguments) {
      for (int i = 0; i < 2; i++) {
        try {
          System.out.println("version " + Tonnx.version());
        } catch (TonnxException e) {
          System.out.println(e.status() + " " + e.errorClass() + " " + e.getMessage());
        }
      }
    }
  }

  @Test
  void propertyNamesTheFolder() throws Exception {
    assertEquals("version " + Tonnx.version(), first(run(List.of("-Dtonnx.native.path=" + libraryFolder()), "/none")));
  }

  @Test
  void environmentNamesTheFolderOrTheFile() throws Exception {
    for (Path named : List.of(libraryFolder(), libraryFolder().resolve("libtonnx.so"))) {
      assertEquals("version " + Tonnx.version(), first(run(List.of(), named.toString())));
    }
  }

  @Test
  void missingLibraryTellsWhereItWasLookedFor(@TempDir Path folder) throws Exception {
    String told = run(List.of("-Dtonnx.native.path=" + folder), null);
    assertEquals(2, told.split("FILE NativeLibraryError", -1).length - 1, told);
    assertTrue(told.contains(folder.resolve("libtonnx.so").toString()), told);
    assertTrue(told.contains("tonnx.native.path"), told);

    told = run(List.of(), folder.toString());
    assertEquals(2, told.split("FILE NativeLibraryError", -1).length - 1, told);
    assertTrue(told.contains("environment variable TONNX_LIBRARY"), told);
  }

  @Test
  void foreignLibraryIsToldToo(@TempDir Path folder) throws Exception {
    Files.writeString(folder.resolve("libtonnx.so"), "not a library");
    String told = run(List.of("-Dtonnx.native.path=" + folder), null);
    assertEquals(2, told.split("FILE NativeLibraryError", -1).length - 1, told);
    assertTrue(told.contains("invalid ELF header") || told.contains("file too short"), told);
  }

  private static Path libraryFolder() {
    return Path.of(System.getProperty("tonnx.library.dir")).toAbsolutePath();
  }

  private static String first(String told) {
    return told.split("\n", 2)[0];
  }

  private static String run(List<String> options, String environment) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.addAll(options);
    command.add(Main.class.getName());
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().remove("TONNX_LIBRARY");
    if (environment != null) {
      builder.environment().put("TONNX_LIBRARY", environment);
    }
    Process process = builder.start();
    try (InputStream output = process.getInputStream()) {
      String told = new String(output.readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, process.waitFor(), told);
      return told;
    }
  }
}
