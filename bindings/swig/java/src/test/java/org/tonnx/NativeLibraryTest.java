package org.tonnx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The search for the native library; each case runs in a new JVM. */
class NativeLibraryTest {
  /** Prints the version, or twice why the native library cannot be loaded. */
  static final class Main {
    public static void main(String[] arguments) {
      for (int i = 0; i < 2; i++) {
        try {
          System.out.println("version " + Tonnx.version());
        } catch (TonnxException e) {
          System.out.println(e.status() + " " + e.errorClass() + " " + e.getMessage());
          System.out.println("derives " + e.isA("DependencyError") + e.isA("FileError") + e.isA("OnnxExporterError")
              + e.isA("ArgumentError"));
        }
      }
    }
  }

  /** The same in two class loaders of one process. */
  static final class TwiceMain {
    public static void main(String[] arguments) throws Exception {
      List<URL> path = new ArrayList<>();
      for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
        path.add(Path.of(entry).toUri().toURL());
      }
      for (int i = 0; i < 2; i++) {
        try (URLClassLoader loader = new URLClassLoader(path.toArray(new URL[0]), null)) {
          System.out.println(loader.loadClass("org.tonnx.Tonnx").getMethod("version").invoke(null));
        }
      }
    }
  }

  @Test
  void twoClassLoadersShareTheLibrary() throws Exception {
    String twice = Tonnx.version() + "\n" + Tonnx.version() + "\n";
    assertEquals(twice, run(TwiceMain.class, List.of(), libraryFolder().toString()));
    assertEquals(twice, run(TwiceMain.class, List.of(), null));
  }

  @Test
  void propertyNamesTheFolder() throws Exception {
    String printed = run(Main.class, List.of("-Dtonnx.native.path=" + libraryFolder()), "/none");
    assertEquals("version " + Tonnx.version(), first(printed));
  }

  @Test
  void environmentNamesTheFolderOrTheFile() throws Exception {
    for (Path named : List.of(libraryFolder(), libraryFolder().resolve("libtonnx.so"))) {
      assertEquals("version " + Tonnx.version(), first(run(Main.class, List.of(), named.toString())));
    }
  }

  @Test
  void missingLibraryReportsTheSearchedPaths(@TempDir Path folder) throws Exception {
    String printed = run(Main.class, List.of("-Dtonnx.native.path=" + folder), null);
    assertEquals(2, printed.split("FILE DependencyError", -1).length - 1, printed);
    assertTrue(printed.contains(folder.resolve("libtonnx.so").toString()), printed);
    assertTrue(printed.contains("tonnx.native.path"), printed);
    assertTrue(printed.contains("derives truetruetruefalse"), printed);

    printed = run(Main.class, List.of(), folder.toString());
    assertEquals(2, printed.split("FILE DependencyError", -1).length - 1, printed);
    assertTrue(printed.contains("environment variable TONNX_LIBRARY"), printed);
  }

  @Test
  void foreignLibraryIsReported(@TempDir Path folder) throws Exception {
    Files.writeString(folder.resolve("libtonnx.so"), "not a library");
    String printed = run(Main.class, List.of("-Dtonnx.native.path=" + folder), null);
    assertEquals(2, printed.split("FILE DependencyError", -1).length - 1, printed);
    assertTrue(printed.contains("invalid ELF header") || printed.contains("file too short"), printed);
  }

  @Test
  void libraryInTheTemporaryFolderIsNotLoaded(@TempDir Path folder) throws Exception {
    Path planted = Files.writeString(folder.resolve("libtonnx.so.0"), "not a library");
    String printed = run(Main.class, List.of("-Djava.io.tmpdir=" + folder), null);
    assertEquals("version " + Tonnx.version(), first(printed));
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(List.of(planted), left.collect(Collectors.toList()));
    }
  }

  private static Path libraryFolder() {
    return Path.of(System.getProperty("tonnx.library.dir")).toAbsolutePath();
  }

  private static String first(String printed) {
    return printed.split("\n", 2)[0];
  }

  private static String run(Class<?> main, List<String> options, String environment) throws Exception {
    Child child = Child.run(main, options, environment);
    assertEquals(0, child.exit, child.output);
    return child.output;
  }
}
