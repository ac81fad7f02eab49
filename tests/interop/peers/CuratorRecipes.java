import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.curator.framework.recipes.atomic.DistributedAtomicLong;
import org.apache.curator.framework.recipes.barriers.DistributedBarrier;
import org.apache.curator.framework.recipes.barriers.DistributedDoubleBarrier;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.recipes.cache.PathChildrenCache;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.framework.recipes.nodes.GroupMember;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.curator.framework.recipes.queue.SimpleDistributedQueue;
import org.apache.curator.framework.recipes.shared.SharedCount;
import org.apache.curator.framework.recipes.watch.PersistentWatcher;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/**
 * CuratorRecipes SERVERS [ROUNDS]: uses Curator like its users, with two clients, Ann and Bob. Prints a
 * line with the result of each recipe, which is the same on every correct server.
 */
public final class CuratorRecipes {
  private interface Recipe {
    Object run() throws Exception;
  }

  private static final int SHORT_MS = 150;
  private static final int LONG_S = 30;

  private final String servers;
  private final String namespace;
  private CuratorFramework ann;
  private CuratorFramework bob;

  private CuratorRecipes(String servers, String namespace) {
    this.servers = servers;
    this.namespace = namespace;
  }

  public static void main(String[] arguments) throws Exception {
    int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1;
    for (int round = 0; round < rounds; ++round) {
      new CuratorRecipes(arguments[0], "recipes-" + System.nanoTime()).runAll();
    }
    System.exit(0);
  }

  private CuratorFramework connect() throws Exception {
    CuratorFramework client = CuratorFrameworkFactory.builder().connectString(servers)
        .sessionTimeoutMs(10000).connectionTimeoutMs(10000).retryPolicy(new RetryNTimes(5, 100))
        .namespace(namespace).build();
    client.start();
    client.blockUntilConnected();
    return client;
  }

  private void runAll() throws Exception {
    Map<String, Recipe> recipes = new TreeMap<>();
    recipes.put("mutex", this::mutex);
    recipes.put("semaphore mutex", this::semaphoreMutex);
    recipes.put("read-write lock", this::readWriteLock);
    recipes.put("multi-lock", this::multiLock);
    recipes.put("semaphore", this::semaphore);
    recipes.put("leader latch", this::leaderLatch);
    recipes.put("leader selector", this::leaderSelector);
    recipes.put("barrier", this::barrier);
    recipes.put("double barrier", this::doubleBarrier);
    recipes.put("atomic long", this::atomicLong);
    recipes.put("shared count", this::sharedCount);
    recipes.put("cache", this::cache);
    recipes.put("path children cache", this::pathChildrenCache);
    recipes.put("transaction", this::transaction);
    recipes.put("failed transaction", this::failedTransaction);
    recipes.put("queue", this::queue);
    recipes.put("group", this::group);
    recipes.put("watches", this::watches);
    recipes.put("persistent watches", this::persistentWatches);
    recipes.put("creations", this::creations);
    recipes.put("errors", this::errors);
    recipes.put("background", this::background);
    recipes.put("expiry", this::expiry);
    recipes.put("persistent node", this::persistentNode);
    recipes.put("moved session", this::movedSession);
    for (Map.Entry<String, Recipe> each : recipes.entrySet()) {
      ann = connect();
      bob = connect();
      System.out.println(each.getKey() + ": " + outcome(each.getValue()));
      ann.close();
      bob.close();
    }
  }

  private static String outcome(Recipe recipe) {
    try {
      return String.valueOf(recipe.run());
    } catch (KeeperException error) {
      return "error " + error.code();
    } catch (Exception error) {
      return "exception " + error;
    }
  }

  private static CountDownLatch inBackground(Recipe recipe) {
    CountDownLatch done = new CountDownLatch(1);
    Thread thread = new Thread(() -> {
      String outcome = outcome(recipe);
      if (outcome.startsWith("e")) System.out.println("in the background: " + outcome);
      done.countDown();
    });
    thread.setDaemon(true);
    thread.start();
    return done;
  }

  private static boolean soon(CountDownLatch latch) throws InterruptedException {
    return latch.await(LONG_S, TimeUnit.SECONDS);
  }

  // ------------------------------------------------------------------------------------------ locks

  private Object mutex() throws Exception {
    InterProcessMutex anns = new InterProcessMutex(ann, "/mutex");
    InterProcessMutex bobs = new InterProcessMutex(bob, "/mutex");
    anns.acquire();
    anns.acquire();
    boolean early = bobs.acquire(SHORT_MS, TimeUnit.MILLISECONDS);
    anns.release();
    boolean stillEarly = bobs.acquire(SHORT_MS, TimeUnit.MILLISECONDS);
    CountDownLatch got = inBackground(() -> {
      bobs.acquire();
      bobs.release();
      return null;
    });
    while (anns.getParticipantNodes().size() < 2) Thread.onSpinWait();
    anns.release();
    return List.of(early, stillEarly, soon(got), anns.getParticipantNodes().size());
  }

  private Object semaphoreMutex() throws Exception {
    InterProcessSemaphoreMutex anns = new InterProcessSemaphoreMutex(ann, "/semaphore-mutex");
    InterProcessSemaphoreMutex bobs = new InterProcessSemaphoreMutex(bob, "/semaphore-mutex");
    anns.acquire();
    boolean early = bobs.acquire(SHORT_MS, TimeUnit.MILLISECONDS);
    anns.release();
    return List.of(early, bobs.acquire(LONG_S, TimeUnit.SECONDS));
  }

  private Object readWriteLock() throws Exception {
    InterProcessReadWriteLock anns = new InterProcessReadWriteLock(ann, "/read-write");
    InterProcessReadWriteLock bobs = new InterProcessReadWriteLock(bob, "/read-write");
    anns.readLock().acquire();
    boolean shared = bobs.readLock().acquire(LONG_S, TimeUnit.SECONDS);
    bobs.readLock().release();
    boolean exclusive = bobs.writeLock().acquire(SHORT_MS, TimeUnit.MILLISECONDS);
    anns.readLock().release();
    boolean later = bobs.writeLock().acquire(LONG_S, TimeUnit.SECONDS);
    boolean downgrade = bobs.readLock().acquire(LONG_S, TimeUnit.SECONDS);
    return List.of(shared, exclusive, later, downgrade);
  }

  private Object multiLock() throws Exception {
    InterProcessMultiLock anns = new InterProcessMultiLock(ann, List.of("/one", "/two"));
    anns.acquire();
    InterProcessMutex bobs = new InterProcessMutex(bob, "/two");
    boolean early = bobs.acquire(SHORT_MS, TimeUnit.MILLISECONDS);
    anns.release();
    return List.of(early, bobs.acquire(LONG_S, TimeUnit.SECONDS));
  }

  private Object semaphore() throws Exception {
    InterProcessSemaphoreV2 anns = new InterProcessSemaphoreV2(ann, "/semaphore", 3);
    InterProcessSemaphoreV2 bobs = new InterProcessSemaphoreV2(bob, "/semaphore", 3);
    Collection<Lease> two = anns.acquire(2);
    Lease third = bobs.acquire();
    boolean fourth = bobs.acquire(SHORT_MS, TimeUnit.MILLISECONDS) != null;
    anns.returnAll(two);
    boolean then = bobs.acquire(2, LONG_S, TimeUnit.SECONDS) != null;
    bobs.returnLease(third);
    return List.of(fourth, then, anns.getParticipantNodes().size());
  }

  // ----------------------------------------------------------------------------------------- leaders

  private Object leaderLatch() throws Exception {
    LeaderLatch anns = new LeaderLatch(ann, "/latch", "Ann");
    LeaderLatch bobs = new LeaderLatch(bob, "/latch", "Bob");
    anns.start();
    boolean first = anns.await(LONG_S, TimeUnit.SECONDS);
    bobs.start();
    while (anns.getParticipants().size() < 2) Thread.onSpinWait();
    String leader = bobs.getLeader().getId();
    boolean both = bobs.hasLeadership();
    anns.close();
    boolean next = bobs.await(LONG_S, TimeUnit.SECONDS);
    String later = bobs.getLeader().getId();
    bobs.close();
    return List.of(first, leader, both, next, later);
  }

  private Object leaderSelector() throws Exception {
    BlockingQueue<String> led = new LinkedBlockingQueue<>();
    List<LeaderSelector> selectors = new ArrayList<>();
    for (CuratorFramework client : List.of(ann, bob)) {
      LeaderSelector selector = new LeaderSelector(client, "/selector", new LeaderSelectorListenerAdapter() {
        @Override
        public void takeLeadership(CuratorFramework leader) {
          led.add(leader == ann ? "Ann" : "Bob");
        }
      });
      selectors.add(selector);
      selector.start();
    }
    TreeMap<String, Boolean> all = new TreeMap<>();
    for (int turns = 0; turns < 2; ++turns) all.put(led.poll(LONG_S, TimeUnit.SECONDS), true);
    for (LeaderSelector selector : selectors) selector.close();
    return all;
  }

  // ---------------------------------------------------------------------------- barriers and counters

  private Object barrier() throws Exception {
    DistributedBarrier anns = new DistributedBarrier(ann, "/barrier");
    DistributedBarrier bobs = new DistributedBarrier(bob, "/barrier");
    anns.setBarrier();
    boolean early = bobs.waitOnBarrier(SHORT_MS, TimeUnit.MILLISECONDS);
    CountDownLatch passed = inBackground(() -> {
      bobs.waitOnBarrier();
      return null;
    });
    anns.removeBarrier();
    return List.of(early, soon(passed));
  }

  private Object doubleBarrier() throws Exception {
    DistributedDoubleBarrier anns = new DistributedDoubleBarrier(ann, "/double", 2);
    DistributedDoubleBarrier bobs = new DistributedDoubleBarrier(bob, "/double", 2);
    CountDownLatch through = inBackground(() -> bobs.enter(LONG_S, TimeUnit.SECONDS) && bobs.leave(LONG_S, TimeUnit.SECONDS));
    boolean together = anns.enter(LONG_S, TimeUnit.SECONDS);
    boolean left = anns.leave(LONG_S, TimeUnit.SECONDS);
    return List.of(together, left, soon(through));
  }

  private Object atomicLong() throws Exception {
    List<CountDownLatch> all = new ArrayList<>();
    for (CuratorFramework client : List.of(ann, bob)) {
      all.add(inBackground(() -> {
        DistributedAtomicLong counter = new DistributedAtomicLong(client, "/counter", new RetryNTimes(1000, 1));
        for (int count = 0; count < 20; ++count) {
          if (!counter.increment().succeeded()) throw new IllegalStateException("no increment");
        }
        return null;
      }));
    }
    for (CountDownLatch each : all) soon(each);
    return new DistributedAtomicLong(bob, "/counter", new RetryNTimes(5, 1)).get().postValue();
  }

  private Object sharedCount() throws Exception {
    SharedCount anns = new SharedCount(ann, "/shared", 7);
    SharedCount bobs = new SharedCount(bob, "/shared", 8);
    anns.start();
    bobs.start();
    int first = bobs.getCount();
    var old = bobs.getVersionedValue();
    boolean set = anns.trySetCount(anns.getVersionedValue(), 9);
    boolean stale = bobs.trySetCount(old, 10);
    while (bobs.getCount() != 9) Thread.onSpinWait();
    anns.close();
    bobs.close();
    return List.of(first, set, stale);
  }

  // ----------------------------------------------------------------------------------------- caches

  private Object cache() throws Exception {
    ann.create().forPath("/cached");
    CuratorCache cache = CuratorCache.build(bob, "/cached");
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    CountDownLatch ready = new CountDownLatch(1);
    cache.listenable().addListener(CuratorCacheListener.builder()
        .forCreates(data -> events.add("created " + data.getPath()))
        .forChanges((before, after) -> events.add("changed " + after.getPath() + " " + after.getStat().getVersion()))
        .forDeletes(data -> events.add("deleted " + data.getPath())).forInitialized(ready::countDown).build());
    cache.start();
    soon(ready);
    ann.create().forPath("/cached/a", "1".getBytes());
    List<String> seen = new ArrayList<>();
    for (int count = 0; count < 2; ++count) seen.add(events.poll(LONG_S, TimeUnit.SECONDS));
    ann.setData().forPath("/cached/a", "2".getBytes());
    seen.add(events.poll(LONG_S, TimeUnit.SECONDS));
    ann.delete().forPath("/cached/a");
    seen.add(events.poll(LONG_S, TimeUnit.SECONDS));
    cache.close();
    return seen;
  }

  @SuppressWarnings("deprecation")
  private Object pathChildrenCache() throws Exception {
    ann.create().creatingParentsIfNeeded().forPath("/children/a", "1".getBytes());
    PathChildrenCache cache = new PathChildrenCache(bob, "/children", true);
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    cache.getListenable().addListener((client, event) ->
        events.add(event.getType() + (event.getData() == null ? "" : " " + event.getData().getPath())));
    cache.start(PathChildrenCache.StartMode.BUILD_INITIAL_CACHE);
    int initial = cache.getCurrentData().size();
    List<String> seen = new ArrayList<>();
    ann.create().forPath("/children/b");
    while (seen.isEmpty() || !seen.get(seen.size() - 1).startsWith("CHILD")) seen.add(events.poll(LONG_S, TimeUnit.SECONDS));
    ann.delete().forPath("/children/a");
    seen.add(events.poll(LONG_S, TimeUnit.SECONDS));
    seen.removeIf(event -> event.startsWith("CONNECTION"));
    cache.close();
    return List.of(initial, seen);
  }

  // ----------------------------------------------------------------------------------- transactions

  private Object transaction() throws Exception {
    ann.create().forPath("/t");
    CuratorOp create = ann.transactionOp().create().withMode(CreateMode.PERSISTENT_SEQUENTIAL).forPath("/t/t-", "1".getBytes());
    CuratorOp other = ann.transactionOp().create().forPath("/other");
    CuratorOp set = ann.transactionOp().setData().withVersion(0).forPath("/other", "2".getBytes());
    CuratorOp check = ann.transactionOp().check().withVersion(1).forPath("/other");
    CuratorOp delete = ann.transactionOp().delete().forPath("/other");
    List<String> results = new ArrayList<>();
    for (CuratorTransactionResult result : ann.transaction().forOperations(create, other, set, check, delete)) {
      Stat stat = result.getResultStat();
      results.add(result.getType() + " " + result.getResultPath() + " " + (stat == null ? "-" : stat.getVersion()));
    }
    return List.of(results, bob.checkExists().forPath("/other") == null);
  }

  private Object failedTransaction() throws Exception {
    try {
      ann.transaction().forOperations(ann.transactionOp().create().forPath("/left"),
          ann.transactionOp().delete().forPath("/none"), ann.transactionOp().create().forPath("/right"));
      return "done";
    } catch (KeeperException error) {
      List<String> results = new ArrayList<>();
      error.getResults().forEach(result -> results.add(result.toString().replaceAll("@.*", "")));
      List<Integer> errors = new ArrayList<>();
      error.getResults().forEach(result -> errors.add(result instanceof org.apache.zookeeper.OpResult.ErrorResult bad ? bad.getErr() : 0));
      ann.sync().forPath("/");
      return List.of(error.code(), errors, ann.checkExists().forPath("/left") == null);
    }
  }

  // ------------------------------------------------------------------------------------------ others

  private Object queue() throws Exception {
    SimpleDistributedQueue anns = new SimpleDistributedQueue(ann, "/queue");
    SimpleDistributedQueue bobs = new SimpleDistributedQueue(bob, "/queue");
    for (String each : List.of("a", "b", "c")) anns.offer(each.getBytes());
    String taken = new String(bobs.take()) + new String(bobs.poll()) + new String(anns.peek());
    bobs.remove();
    boolean empty = bobs.poll(SHORT_MS, TimeUnit.MILLISECONDS) == null;
    return List.of(taken, empty);
  }

  private Object group() throws Exception {
    GroupMember anns = new GroupMember(ann, "/group", "Ann");
    GroupMember bobs = new GroupMember(bob, "/group", "Bob");
    anns.start();
    bobs.start();
    while (anns.getCurrentMembers().size() < 2 || bobs.getCurrentMembers().size() < 2) Thread.onSpinWait();
    String both = new TreeMap<>(anns.getCurrentMembers()).keySet().toString();
    bobs.close();
    while (anns.getCurrentMembers().size() > 1) Thread.onSpinWait();
    String one = anns.getCurrentMembers().keySet().toString();
    anns.close();
    return List.of(both, one);
  }

  private Object watches() throws Exception {
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    ann.create().forPath("/watched");
    bob.getData().usingWatcher((org.apache.curator.framework.api.CuratorWatcher) event -> events.add(event.getType() + " " + event.getPath())).forPath("/watched");
    bob.getChildren().usingWatcher((org.apache.curator.framework.api.CuratorWatcher) event -> events.add(event.getType() + " " + event.getPath())).forPath("/watched");
    bob.checkExists().usingWatcher((org.apache.curator.framework.api.CuratorWatcher) event -> events.add(event.getType() + " " + event.getPath())).forPath("/watched/a");
    ann.setData().forPath("/watched", "1".getBytes());
    ann.setData().forPath("/watched", "2".getBytes());
    List<String> seen = new ArrayList<>();
    seen.add(events.poll(LONG_S, TimeUnit.SECONDS));
    ann.create().forPath("/watched/a");
    List<String> two = new ArrayList<>(List.of(events.poll(LONG_S, TimeUnit.SECONDS), events.poll(LONG_S, TimeUnit.SECONDS)));
    two.sort(null);
    bob.sync().forPath("/");
    return List.of(seen, two, events.size());
  }

  private Object persistentWatches() throws Exception {
    ann.create().forPath("/persistent");
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    PersistentWatcher watcher = new PersistentWatcher(bob, "/persistent", true);
    CountDownLatch set = new CountDownLatch(1);
    watcher.getResetListenable().addListener(set::countDown);
    watcher.getListenable().addListener(event -> events.add(event.getType() + " " + event.getPath()));
    watcher.start();
    soon(set);
    ann.create().forPath("/persistent/a");
    ann.setData().forPath("/persistent/a", "1".getBytes());
    ann.setData().forPath("/persistent/a", "2".getBytes());
    ann.delete().forPath("/persistent/a");
    List<String> seen = new ArrayList<>();
    while (seen.size() < 4) seen.add(events.poll(LONG_S, TimeUnit.SECONDS));
    watcher.close();
    return seen;
  }

  private Object creations() throws Exception {
    List<Object> all = new ArrayList<>();
    all.add(ann.create().creatingParentContainersIfNeeded().withMode(CreateMode.PERSISTENT_SEQUENTIAL).forPath("/x/y/z-"));
    all.add(ann.create().withMode(CreateMode.CONTAINER).forPath("/container"));
    String guarded = ann.create().withProtection().withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath("/x/g-");
    all.add(guarded.replaceAll("_c_[-0-9a-f]*", "GUID"));
    Stat stat = new Stat();
    ann.create().storingStatIn(stat).forPath("/stat", "four".getBytes());
    all.add(List.of(stat.getVersion(), stat.getDataLength(), stat.getCzxid() == stat.getMzxid()));
    all.add(ann.create().orSetData().forPath("/stat", "again".getBytes()));
    all.add(ann.setData().withVersion(1).forPath("/stat", "third".getBytes()).getVersion());
    all.add(ann.getACL().forPath("/stat").toString().replaceAll("\\s", ""));
    ann.delete().guaranteed().deletingChildrenIfNeeded().forPath("/x");
    all.add(bob.checkExists().forPath("/x") == null);
    all.add(outcome(() -> ann.create().withTtl(1000).withMode(CreateMode.PERSISTENT_WITH_TTL).forPath("/ttl")));
    return all;
  }

  private Object errors() throws Exception {
    ann.create().creatingParentsIfNeeded().forPath("/e/child");
    return List.of(outcome(() -> ann.create().forPath("/e")), outcome(() -> ann.delete().forPath("/e")),
        outcome(() -> ann.delete().forPath("/none")), outcome(() -> ann.getData().forPath("/none")),
        outcome(() -> ann.getChildren().forPath("/none")), outcome(() -> ann.setData().withVersion(7).forPath("/e")),
        outcome(() -> ann.create().forPath("/none/child")), outcome(() -> ann.create().withMode(CreateMode.EPHEMERAL).forPath("/e/m")),
        outcome(() -> ann.create().forPath("/e/m/child")), outcome(() -> ann.setACL().withACL(new ArrayList<>()).forPath("/e")),
        outcome(() -> ann.setACL().withACL(Ids.READ_ACL_UNSAFE).forPath("/e").getAversion()),
        outcome(() -> ann.create().forPath("/e/no")), outcome(() -> ann.checkExists().forPath("/e").getCversion()));
  }

  private Object background() throws Exception {
    BlockingQueue<String> done = new LinkedBlockingQueue<>();
    int count = 100;
    for (int number = 0; number < count; ++number) {
      ann.create().withMode(CreateMode.PERSISTENT).inBackground((client, event) -> done.add(event.getType() + " " + event.getResultCode()))
          .forPath("/b" + number);
    }
    TreeMap<String, Integer> all = new TreeMap<>();
    for (int number = 0; number < count; ++number) all.merge(done.poll(LONG_S, TimeUnit.SECONDS), 1, Integer::sum);
    return List.of(all, ann.getChildren().forPath("/").stream().filter(name -> name.startsWith("b") && name.matches("b[0-9]+")).count());
  }

  // ---------------------------------------------------------------------------------------- sessions

  private static BlockingQueue<ConnectionState> states(CuratorFramework client) {
    BlockingQueue<ConnectionState> states = new LinkedBlockingQueue<>();
    client.getConnectionStateListenable().addListener((which, state) -> states.add(state));
    return states;
  }

  private static void await(BlockingQueue<ConnectionState> states, ConnectionState wanted) throws Exception {
    while (states.poll(LONG_S, TimeUnit.SECONDS) != wanted) Thread.onSpinWait();
  }

  private Object expiry() throws Exception {
    InterProcessMutex anns = new InterProcessMutex(ann, "/expiry");
    InterProcessMutex bobs = new InterProcessMutex(bob, "/expiry");
    anns.acquire();
    CountDownLatch got = inBackground(() -> {
      bobs.acquire();
      return null;
    });
    while (anns.getParticipantNodes().size() < 2) Thread.onSpinWait();
    BlockingQueue<ConnectionState> states = states(ann);
    long before = ann.getZookeeperClient().getZooKeeper().getSessionId();
    endSession(ann);
    await(states, ConnectionState.LOST);
    boolean handedOn = soon(got);
    await(states, ConnectionState.RECONNECTED);
    boolean another = ann.getZookeeperClient().getZooKeeper().getSessionId() != before;
    return List.of(handedOn, another, anns.getParticipantNodes().size());
  }

  /** Another client with the same session closes it. */
  private void endSession(CuratorFramework client) throws Exception {
    second(client).close();
  }

  private ZooKeeper second(CuratorFramework client) throws Exception {
    ZooKeeper first = client.getZookeeperClient().getZooKeeper();
    CountDownLatch connected = new CountDownLatch(1);
    ZooKeeper second = new ZooKeeper(servers, 10000, event -> {
      if (event.getState() == org.apache.zookeeper.Watcher.Event.KeeperState.SyncConnected) connected.countDown();
    }, first.getSessionId(), first.getSessionPasswd());
    soon(connected);
    return second;
  }

  private Object persistentNode() throws Exception {
    PersistentNode node = new PersistentNode(ann, CreateMode.EPHEMERAL, false, "/node", "mine".getBytes());
    node.start();
    boolean first = node.waitForInitialCreate(LONG_S, TimeUnit.SECONDS);
    long before = bob.checkExists().forPath("/node").getEphemeralOwner();
    endSession(ann);
    Stat stat = null;
    while (stat == null || stat.getEphemeralOwner() == before) stat = bob.checkExists().forPath("/node");
    bob.delete().forPath("/node");
    while (bob.checkExists().forPath("/node") == null) Thread.onSpinWait();
    String data = new String(bob.getData().forPath("/node"));
    node.close();
    return List.of(first, data, bob.checkExists().forPath("/node") == null);
  }

  /** A session goes on over another connection, with its ephemerals and watches. */
  private Object movedSession() throws Exception {
    ann.create().withMode(CreateMode.EPHEMERAL).forPath("/moved");
    BlockingQueue<ConnectionState> states = states(ann);
    ZooKeeper second = second(ann);
    String path = "/" + namespace + "/by-second";
    second.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
    Stat moved = bob.checkExists().forPath("/moved");
    Stat created = bob.checkExists().forPath("/by-second");
    boolean same = moved.getEphemeralOwner() == created.getEphemeralOwner();
    second.close();
    await(states, ConnectionState.LOST);
    return List.of(same, bob.checkExists().forPath("/moved") == null);
  }
}
