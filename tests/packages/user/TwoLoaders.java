import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;

/** Two applications of one process, each with a tonnx of its own: TwoLoaders JAR. */
public class TwoLoaders {
  public static void main(String[] arguments) throws Exception {
    URL[] jar = {Path.of(arguments[0]).toUri().toURL()};
    for (int i = 0; i < 2; i++) {
      URLClassLoader loader = new URLClassLoader(jar, null);
      System.out.println("version " + loader.loadClass("org.tonnx.Tonnx").getMethod("version").invoke(null));
    }
  }
}
