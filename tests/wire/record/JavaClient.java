import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.admin.ZooKeeperAdmin;
import org.apache.zookeeper.data.Stat;

/** The operations of ZooKeeper's Java client for record.py: those that the C client does not have. */
public final class JavaClient {
  private static volatile CountDownLatch connected = new CountDownLatch(1);

  public static void main(String[] arguments) throws Exception {
    Watcher session = event -> {
      if (event.getState() == Watcher.Event.KeeperState.SyncConnected) connected.countDown();
    };
    ZooKeeperAdmin client = new ZooKeeperAdmin(arguments[0], 10000, session);
    connected.await();
    client.create("/java", "x".getBytes(), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    client.create("/java/e", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL, new Stat());
    client.create("/java/c", null, Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER);
    client.create("/java/t", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_WITH_TTL, new Stat(), 60000);
    System.out.println(client.getEphemerals() + " " + client.getEphemerals("/java"));
    System.out.println(client.getAllChildrenNumber("/java") + " " + client.whoAmI());
    client.multi(Arrays.asList(
        Op.create("/java/m", null, Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER),
        Op.create("/java/n", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_WITH_TTL, 60000),
        Op.setData("/java", "z".getBytes(), 0), Op.check("/java", 1), Op.delete("/java/n", 0)));
    client.multi(Arrays.asList(Op.getData("/java"), Op.getChildren("/java"), Op.getData("/missing")));
    client.addWatch("/java", event -> { }, AddWatchMode.PERSISTENT);
    client.addWatch("/java", event -> { }, AddWatchMode.PERSISTENT_RECURSIVE);
    Watcher first = event -> { };
    Watcher second = event -> { };
    client.getData("/java/t", first, null);
    client.getData("/java/t", second, null);
    client.exists("/java/none", first);
    client.getChildren("/java", first);
    client.removeWatches("/java/t", first, Watcher.WatcherType.Data, false);
    connected = new CountDownLatch(1);
    System.out.println("cut");
    System.out.flush();
    connected.await();
    client.setData("/java/t", "y".getBytes(), 0);
    client.removeAllWatches("/java", Watcher.WatcherType.Any, false);
    try {
      client.reconfigure("server.1=localhost:1:2;3", (String) null, null, -1, new Stat());
    } catch (KeeperException refused) {
      System.out.println(refused.code());
    }
    CountDownLatch synced = new CountDownLatch(1);
    AsyncCallback.VoidCallback done = (code, path, context) -> synced.countDown();
    client.sync("/java", done, null);
    synced.await();
    client.close();
  }
}
