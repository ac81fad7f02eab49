// In Curator's package, because only that can ask a read/write lock for its znode.
package org.apache.curator.framework.recipes.locks;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.shared.SharedCount;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooKeeper;

/**
 * Contenders that use Curator's recipes, each with its own thread and session. A line of standard input
 * has a contender's number and a command (see obey), a line of standard output a contender's number and
 * its answer.
 */
public final class CuratorContender extends Thread {
  /** A held lock. */
  private record Grant(String znode, Release release) {
    String name() {
      return znode.substring(znode.lastIndexOf('/') + 1);
    }
  }

  private interface Release {
    void run() throws Exception;
  }

  private interface Recipe {
    /** Returns null if it was not granted within that many milliseconds; a negative number waits forever. */
    Grant acquire(long patience) throws Exception;
  }

  private final String number;
  private final BlockingQueue<List<String>> commands = new LinkedBlockingQueue<>();
  private final CountDownLatch lost = new CountDownLatch(1);
  private final Map<List<String>, Recipe> recipes = new HashMap<>();
  private volatile CuratorFramework client;
  private Grant held;

  private CuratorContender(String number) {
    this.number = number;
    setDaemon(true);
    start();
  }

  public static void main(String[] none) throws Exception {
    Map<String, CuratorContender> contenders = new HashMap<>();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      List<String> words = Arrays.asList(line.split(" "));
      CuratorContender contender = contenders.computeIfAbsent(words.get(0), CuratorContender::new);
      List<String> command = words.subList(1, words.size());
      if (command.equals(List.of("round-trip"))) {
        contender.answer(contender.roundTrip());
      } else {
        contender.commands.put(command);
      }
    }
  }

  /** Answers on the calling thread, so it works while this contender waits for a lock. */
  private String roundTrip() throws Exception {
    client.checkExists().forPath("/");
    return "answered";
  }

  @Override
  public void run() {
    for (;;) {
      String answer;
      try {
        answer = obey(commands.take());
      } catch (Exception problem) {
        answer = "failed " + problem;
      }
      answer(answer);
    }
  }

  private void answer(String answer) {
    synchronized (System.out) {
      System.out.println(number + " " + answer);
      System.out.flush();
    }
  }

  private String obey(List<String> words) throws Exception {
    String command = words.get(0);
    List<String> arguments = words.subList(1, words.size());
    switch (command) {
      case "open": // SERVER TIMEOUT-MS
        return open(arguments.get(0), Integer.parseInt(arguments.get(1)));
      case "lock": // PATIENCE-MS RECIPE...
        held = recipe(arguments.subList(1, arguments.size()))
            .acquire(Long.parseLong(arguments.get(0)));
        return held == null ? "refused" : "held " + held.name();
      case "in": // WITNESS
      case "out":
        bearWitness(arguments.get(0), command);
        return "written";
      case "unlock":
        held.release().run();
        return "released";
      case "rounds": // COUNT WITNESS RECIPE...
        passThrough(Integer.parseInt(arguments.get(0)), arguments.get(1),
            recipe(arguments.subList(2, arguments.size())));
        return "done";
      case "await-loss":
        lost.await();
        return "lost";
      case "set-count": // PATH COUNT
        setCount(arguments.get(0), Integer.parseInt(arguments.get(1)));
        return "set";
      case "queue-and-forget": // PATH
        client.create().creatingParentContainersIfNeeded().withProtection()
            .withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath(arguments.get(0) + "/lock-");
        return "forgotten";
      default:
        throw new IllegalArgumentException(command);
    }
  }

  private String open(String server, int timeoutMs) throws Exception {
    client = CuratorFrameworkFactory.newClient(server, timeoutMs, 10000, new RetryNTimes(500, 20));
    client.getConnectionStateListenable().addListener((ignored, state) -> {
      if (state == ConnectionState.LOST) lost.countDown();
    });
    client.start();
    client.blockUntilConnected();
    ZooKeeper session = client.getZookeeperClient().getZooKeeper();
    return "opened " + session.getSessionId() + " "
        + HexFormat.of().formatHex(session.getSessionPasswd());
  }

  private void bearWitness(String witness, String what) throws Exception {
    client.create().forPath(witness + "/" + held.name() + "." + what, new byte[0]);
  }

  private void passThrough(int count, String witness, Recipe recipe) throws Exception {
    for (int round = 0; round < count; ++round) {
      held = recipe.acquire(-1);
      bearWitness(witness, "in");
      bearWitness(witness, "out");
      held.release().run();
    }
  }

  private void setCount(String path, int value) throws Exception {
    try (SharedCount count = new SharedCount(client, path, 0)) {
      count.start();
      count.setCount(value);
    }
  }

  private Recipe recipe(List<String> words) throws Exception {
    Recipe recipe = recipes.get(words);
    if (recipe == null) {
      recipe = makeRecipe(words.get(0), words.get(1), words.size() > 2 ? words.get(2) : "");
      recipes.put(words, recipe);
    }
    return recipe;
  }

  /** Recipes that begin with "broken" are not Curator's: the judge must notice them. */
  private Recipe makeRecipe(String name, String path, String limit) throws Exception {
    switch (name) {
      case "mutex":
        return ofMutex(new InterProcessMutex(client, path));
      case "read":
        return ofMutex(new InterProcessReadWriteLock(client, path).readLock());
      case "write":
        return ofMutex(new InterProcessReadWriteLock(client, path).writeLock());
      case "semaphore":
        return ofSemaphore(path, limit);
      case "broken-mutex":
        return ofMutex(new InterProcessMutex(client, path, new TwoAtOnce()));
      case "broken-read":
        return ofMutex(new InterProcessMutex(client, path, "__READ__", Integer.MAX_VALUE,
            new StandardLockInternalsDriver()));
      default:
        throw new IllegalArgumentException(name);
    }
  }

  private static final class TwoAtOnce extends StandardLockInternalsDriver {
    @Override
    public PredicateResults getsTheLock(CuratorFramework client, List<String> children,
        String znode, int leases) throws Exception {
      return super.getsTheLock(client, children, znode, 2);
    }
  }

  private static Recipe ofMutex(InterProcessMutex mutex) {
    return patience -> {
      if (patience < 0) {
        mutex.acquire();
      } else if (!mutex.acquire(patience, TimeUnit.MILLISECONDS)) {
        return null;
      }
      return new Grant(mutex.getLockPath(), mutex::release);
    };
  }

  private Recipe ofSemaphore(String path, String limit) throws Exception {
    final InterProcessSemaphoreV2 semaphore;
    if (limit.startsWith("/")) {
      SharedCount count = new SharedCount(client, limit, 0);
      count.start();
      semaphore = new InterProcessSemaphoreV2(client, path, count);
    } else {
      semaphore = new InterProcessSemaphoreV2(client, path, Integer.parseInt(limit));
    }
    return patience -> {
      Lease lease = patience < 0 ? semaphore.acquire()
          : semaphore.acquire(patience, TimeUnit.MILLISECONDS);
      return lease == null ? null
          : new Grant(lease.getNodeName(), () -> semaphore.returnLease(lease));
    };
  }
}
