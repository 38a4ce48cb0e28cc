package org.tonnx;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A program that ran to its end in a JVM of its own. */
final class Child {
  final int exit;
  final String output;

  private Child(int exit, String output) {
    this.exit = exit;
    this.output = output;
  }

  /** Runs `main` with these options of the JVM, and with TONNX_LIBRARY set or, if null, unset. */
  static Child run(Class<?> main, List<String> options, String library, String... arguments) throws Exception {
    return run(main, options, library, Map.of(), arguments);
  }

  /** The same with more variables. */
  static Child run(Class<?> main, List<String> options, String library, Map<String, String> variables,
      String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Dtonnx.library.dir=" + System.getProperty("tonnx.library.dir"));
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.addAll(options);
    command.add(main.getName());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().remove("TONNX_LIBRARY");
    if (library != null) {
      builder.environment().put("TONNX_LIBRARY", library);
    }
    builder.environment().putAll(variables);
    Process process = builder.start();
    try (InputStream output = process.getInputStream()) {
      String printed = new String(output.readAllBytes(), StandardCharsets.UTF_8);
      return new Child(process.waitFor(), printed);
    }
  }
}
