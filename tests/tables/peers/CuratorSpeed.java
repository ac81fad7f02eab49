import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * Measures the speed of Curator's InterProcessMutex. Its argument is a server's address. A line of standard
 * input, "SESSIONS THREADS SECONDS", asks for THREADS threads in each of SESSIONS sessions that contend
 * for one lock; the answer is the number of grants per second.
 */
public final class CuratorSpeed {
  private final String server;
  private final List<CuratorFramework> sessions = new ArrayList<>();

  private CuratorSpeed(String server) {
    this.server = server;
  }

  public static void main(String[] arguments) throws Exception {
    CuratorSpeed speed = new CuratorSpeed(arguments[0]);
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] words = line.split(" ");
      speed.measure(
          Integer.parseInt(words[0]), Integer.parseInt(words[1]), Double.parseDouble(words[2]));
    }
    System.exit(0);
  }

  private CuratorFramework session(int number) throws Exception {
    while (sessions.size() <= number) {
      CuratorFramework client =
          CuratorFrameworkFactory.newClient(
              server, 30_000, 30_000, new ExponentialBackoffRetry(100, 3));
      client.start();
      client.blockUntilConnected();
      sessions.add(client);
    }
    return sessions.get(number);
  }

  private void measure(int used, int threads, double seconds) throws Exception {
    List<Thread> contenders = new ArrayList<>();
    AtomicInteger inside = new AtomicInteger();
    AtomicLong held = new AtomicLong();
    session(used - 1);
    long start = System.nanoTime();
    long end = start + (long) (seconds * 1e9);
    for (int i = 0; i < used * threads; ++i) {
      CuratorFramework client = session(i % used);
      Thread contender = new Thread(() -> contend(client, end, inside, held));
      contender.start();
      contenders.add(contender);
    }
    for (Thread contender : contenders) {
      contender.join();
    }
    System.out.println(held.get() * 1e9 / (System.nanoTime() - start));
    System.out.flush();
  }

  private static void contend(
      CuratorFramework client, long end, AtomicInteger inside, AtomicLong held) {
    try {
      InterProcessMutex mutex = new InterProcessMutex(client, "/curator-speed/lock");
      while (System.nanoTime() < end) {
        mutex.acquire();
        if (inside.incrementAndGet() != 1) {
          throw new IllegalStateException("two hold at once");
        }
        Thread.yield(); // To a contender that should not hold.
        inside.decrementAndGet();
        held.incrementAndGet();
        mutex.release();
      }
    } catch (Exception problem) {
      problem.printStackTrace();
      System.exit(1);
    }
  }
}
