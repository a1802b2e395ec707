import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { again, type Fault } from './fault.ts';
import type { Installation } from './installation.ts';
import { type Host, ip, networkFaults, REDIS, tryTo } from './network-faults.ts';
import type { World } from './world.ts';

/** The address of clients, shops and webhook receivers; Redis is on the same side of the bridge. */
const OUTSIDE = '10.77.0.1';
const NETWORK = '10.77.0.0/24';
const BRIDGE = 'selvage-br';
/** Returns why hosts cannot be created here; undefined if they can. */
export function hostsLack(): string | undefined {
  const why = 'no partitions between hosts:';
  if (process.getuid?.() !== 0) return `${why} only root makes network namespaces`;
  const works = tryTo(() => {
    ip('netns', 'add', 'selvage-try');
    ip('netns', 'delete', 'selvage-try');
  });
  return works ? undefined : `${why} ip netns does not work here (Debian: iproute2)`;
}

function makeBridge(): void {
  ip('link', 'add', BRIDGE, 'type', 'bridge');
  for (const address of [OUTSIDE, REDIS]) ip('address', 'add', `${address}/24`, 'dev', BRIDGE);
  ip('link', 'set', BRIDGE, 'up');
}

function makeHost({ name, address }: Host): void {
  ip('netns', 'add', name);
  ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
  ip('link', 'set', name, 'master', BRIDGE, 'up');
  ip('-n', name, 'address', 'add', `${address}/24`, 'dev', 'eth0');
  ip('-n', name, 'link', 'set', 'eth0', 'up');
  ip('-n', name, 'link', 'set', 'lo', 'up');
}

/** Forwards a port of a bridge address to the same port of the loopback. */
async function lead(address: string, port: number): Promise<Server> {
  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port, noDelay: true });
    client.setNoDelay(true).pipe(upstream).pipe(client);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  server.listen(port, address);
  await once(server, 'listening');
  return server;
}

/** Makes a process start on its host from now on. */
function moveTo({ member, name, address }: Host, redisPort: number): void {
  member.launch.within = ['ip', 'netns', 'exec', name];
  Object.assign(member.launch.env, {
    HOST: address,
    WORKER_HOST: address,
    FETCH_ALLOW: NETWORK,
    REDIS_URL: `redis://${REDIS}:${redisPort}`,
  });
}

/** The port of a URL. */
const portOf = (url: string): number => Number(new URL(url).port);

/** Makes shops and webhook receivers reachable for the hosts. */
function moveWorld({ shop, hook }: World): void {
  const outside = (url: string) => url.replace('127.0.0.1', OUTSIDE);
  const { put } = shop;
  shop.put = (path, resource) => outside(put(path, resource));
  hook.url = outside(hook.url);
}

/** The created hosts, and how to remove them. */
export interface Hosts {
  faults: readonly Fault[];
  remove(): Promise<void>;
}

/** Moves every gateway and worker to a host of its own; Redis has its own address. */
export async function startHosts(installation: Installation, world: World): Promise<Hosts> {
  const { gateways, workers, redisGate } = installation;
  const hosts = [...gateways, ...workers].map((member, i) => ({
    member,
    name: `selvage-${i}`,
    address: `10.77.0.${11 + i}`,
  }));
  const servers: Server[] = [];
  async function remove(): Promise<void> {
    for (const server of servers) server.close();
    for (const { name } of hosts) tryTo(() => ip('netns', 'delete', name));
    tryTo(() => ip('link', 'delete', BRIDGE));
  }
  try {
    makeBridge();
    hosts.forEach(makeHost);
    servers.push(
      await lead(REDIS, redisGate.port),
      await lead(OUTSIDE, portOf(world.shop.origin)),
      await lead(OUTSIDE, portOf(world.hook.url)),
    );
    moveWorld(world);
    for (const host of hosts) moveTo(host, redisGate.port);
    await Promise.all(hosts.map(({ member }) => again(member, 'SIGTERM')));
  } catch (error) {
    await remove();
    throw error;
  }
  const own = { gateway: hosts.slice(0, gateways.length), worker: hosts.slice(gateways.length) };
  const faults = Object.entries(own).flatMap(([who, those]) => networkFaults(who, those));
  return { faults, remove };
}
