package org.tonnx;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Loads libtonnx_jni.so and, before it, libtonnx.so where a folder was named.
 *
 * <p>The folder is the system property {@code tonnx.native.path} or else the environment's {@code TONNX_LIBRARY} (which
 * may name the file libtonnx.so itself). libtonnx_jni.so comes from there, from {@code java.library.path}, or from the
 * jar. A published jar also has libtonnx.so, which is used if no folder was named; see {@link BundledLibraries}.
 */
final class NativeLibrary {
  private static final String CORE = "libtonnx.so";
  private static final String PROPERTY = "tonnx.native.path";
  private static final String VARIABLE = "TONNX_LIBRARY";
  private static final String JNI = "libtonnx_jni.so";
  private static final String RESOURCES = "/org/tonnx/native/" + platform() + "/";

  private static boolean loaded;

  private NativeLibrary() {}

  /** Loads the library if it is not loaded yet. Called before a native object is created. */
  static synchronized void require() {
    if (loaded) {
      return;
    }
    try {
      load();
    } catch (UnsatisfiedLinkError | IOException e) {
      throw failure(e.getMessage(), e);
    }
    Callbacks.install();
    loaded = true;
  }

  static synchronized boolean isLoaded() {
    return loaded;
  }

  private static void load() throws IOException {
    String property = System.getProperty(PROPERTY);
    String environment = System.getenv(VARIABLE);
    boolean fromProperty = property != null && !property.isEmpty();
    String named = fromProperty ? property : environment;
    if (named != null && !named.isEmpty()) {
      Path folder = Path.of(named).toAbsolutePath();
      if (Files.isRegularFile(folder)) {
        folder = folder.getParent();
      }
      Path core = folder.resolve(CORE);
      if (!Files.exists(core)) {
        core = folder.resolve(CORE + ".0"); // an installed library without the files to build with it
      }
      if (!Files.exists(core)) {
        String source = fromProperty ? "the system property " + PROPERTY : "the environment variable " + VARIABLE;
        throw failure("there is no " + folder.resolve(CORE) + "; " + source + " says to look there", null);
      }
      loadCore(core);
      if (!loadFrom(folder)) {
        loadFromJar();
      }
      return;
    }
    for (String entry : System.getProperty("java.library.path", "").split(File.pathSeparator)) {
      if (!entry.isEmpty() && loadFrom(Path.of(entry).toAbsolutePath())) {
        return;
      }
    }
    Path bundled = BundledLibraries.unpack(RESOURCES);
    if (bundled == null) {
      loadFromJar();
    } else {
      loadCore(bundled.resolve(CORE + ".0"));
      loadFromJar(); // a copy for each class loader
    }
  }

  private static void loadCore(Path core) {
    try {
      System.load(core.toString());
    } catch (UnsatisfiedLinkError e) {
      // Another class loader's tonnx has loaded it: it serves the whole process.
      if (!String.valueOf(e.getMessage()).contains("already loaded in another classloader")) {
        throw e;
      }
    }
  }

  private static boolean loadFrom(Path folder) {
    Path library = folder.resolve(JNI);
    if (!Files.exists(library)) {
      return false;
    }
    System.load(library.toString());
    return true;
  }

  private static void loadFromJar() throws IOException {
    String resource = RESOURCES + JNI;
    try (InputStream packed = NativeLibrary.class.getResourceAsStream(resource)) {
      if (packed == null) {
        throw failure("there is no " + JNI + " in java.library.path, and no " + resource + " in the jar", null);
      }
      // A private folder that other users cannot write to: the loader searches libtonnx.so beside the library first.
      Path folder = Files.createTempDirectory("tonnx");
      Path unpacked = folder.resolve(JNI);
      try {
        Files.copy(packed, unpacked);
        System.load(unpacked.toString());
      } finally {
        Files.deleteIfExists(unpacked);
        Files.deleteIfExists(folder);
      }
    }
  }

  private static String platform() {
    String arch = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
    return System.getProperty("os.name", "").toLowerCase(Locale.ROOT).replace(' ', '_') + "-"
        + (arch.equals("amd64") ? "x86_64" : arch);
  }

  private static TonnxException failure(String why, Throwable cause) {
    return new TonnxException(Status.FILE, "DependencyError",
        "tonnx's native library cannot be loaded: " + why + "\n  name the folder of " + CORE
            + " in the system property " + PROPERTY + " or in the environment variable " + VARIABLE,
        cause);
  }
}
