package org.tonnx;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The libraries in a published jar beside its JNI library: libtonnx.so.0 and a backend for each line of LibTorch. The
 * resource
 * {@code index} lists them, one line each: the SHA-256 of the content, a space, the name.
 *
 * <p>They are unpacked once, into {@code $XDG_CACHE_HOME/tonnx/java-DIGEST} (by default below {@code ~/.cache}).
 * libtonnx.so loads a backend from its own folder later, so the folder stays. It must belong to this user alone;
 * otherwise, the libraries are unpacked into a temporary folder, which is deleted when the JVM ends.
 */
final class BundledLibraries {
  private static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rwx------");

  private BundledLibraries() {}

  /** Returns the folder with the libraries, or null if the jar has none. {@code resources} ends with a slash. */
  static Path unpack(String resources) throws IOException {
    byte[] index = read(resources + "index");
    if (index == null) {
      return null;
    }
    Path folder = folder(digest(index).substring(0, 16));
    for (String line : new String(index, StandardCharsets.UTF_8).split("\n")) {
      String expected = line.substring(0, line.indexOf(' '));
      Path file = folder.resolve(line.substring(expected.length() + 1));
      if (!Files.exists(file) || !digest(Files.readAllBytes(file)).equals(expected)) {
        write(file, read(resources + file.getFileName()));
      }
    }
    return folder;
  }

  private static Path folder(String digest) throws IOException {
    try {
      Path cache = cache().resolve("tonnx");
      Files.createDirectories(cache);
      Path folder = cache.resolve("java-" + digest);
      try {
        Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(PRIVATE));
      } catch (FileAlreadyExistsException e) {
        // Unpacked before.
      }
      if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS) && Files.getPosixFilePermissions(folder).equals(PRIVATE)
          && Files.getOwner(folder).equals(ownUser(folder))) {
        return folder;
      }
    } catch (IOException | UnsupportedOperationException e) {
      // No home folder that can be written to.
    }
    return temporaryFolder();
  }

  /** The user of this process, who owns a new file. */
  private static UserPrincipal ownUser(Path folder) throws IOException {
    Path file = Files.createTempFile(folder, "owner", null);
    try {
      return Files.getOwner(file);
    } finally {
      Files.delete(file);
    }
  }

  private static Path cache() throws IOException {
    String named = System.getenv("XDG_CACHE_HOME");
    if (named != null && named.startsWith("/")) {
      return Path.of(named);
    }
    Path home = Path.of(System.getProperty("user.home", ""));
    if (!home.isAbsolute()) {
      throw new IOException("this user has no home folder");
    }
    return home.resolve(".cache");
  }

  private static Path temporaryFolder() throws IOException {
    Path folder = Files.createTempDirectory("tonnx", PosixFilePermissions.asFileAttribute(PRIVATE));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : (Iterable<Path>) files::iterator) {
          Files.deleteIfExists(file);
        }
        Files.deleteIfExists(folder);
      } catch (IOException e) {
        // The folder remains.
      }
    }));
    return folder;
  }

  /** Another JVM may write the same file at the same time, so the file appears as a whole. */
  private static void write(Path file, byte[] content) throws IOException {
    if (content == null) {
      throw new IOException(file.getFileName() + " is in the index of the jar, but not in the jar");
    }
    Path part = Files.createTempFile(file.getParent(), "part", ".so");
    try {
      Files.write(part, content);
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private static byte[] read(String resource) throws IOException {
    try (InputStream stream = BundledLibraries.class.getResourceAsStream(resource)) {
      return stream == null ? null : stream.readAllBytes();
    }
  }

  private static String digest(byte[] content) {
    try {
      StringBuilder text = new StringBuilder();
      for (byte part : MessageDigest.getInstance("SHA-256").digest(content)) {
        text.append(String.format("%02x", part));
      }
      return text.toString();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e); // every JVM has it
    }
  }
}
