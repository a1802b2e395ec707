import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { type Fault, fault } from './fault.ts';
import type { Member } from './installation.ts';

/** Redis's own address among the hosts. */
export const REDIS = '10.77.0.2';
/** Longer than locks, heartbeats and the detection of a dead connection by a writer. */
const PARTITION_MILLIS = 8000;

/** A process on a host of its own: a network namespace that a bridge connects with the others. */
export interface Host {
  member: Member;
  name: string;
  address: string;
}

export const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: 'pipe' });
const tc = (...args: string[]): void => void execFileSync('tc', args, { stdio: 'pipe' });

/** Returns whether an action succeeds. */
export function tryTo(action: () => void): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}

/** A MAC address nobody has: packets to it are lost silently. */
const NOWHERE = '02:00:00:00:00:99';
const IMPAIRMENT = ['netem', 'delay', '40ms', '20ms', 'loss', '5%'] as const;

type Direction = 'towards' | 'back';

/** The commands that drop all packets of one direction between a host and Redis, and that stop dropping. */
function losses({
  name,
  address,
}: Host): Readonly<Record<Direction, { on: string[]; off: string[] }>> {
  const neighbour = ['-n', name, 'neighbour'];
  const back = ['from', REDIS, 'to', address, 'blackhole'];
  return {
    towards: {
      on: [...neighbour, 'replace', REDIS, 'lladdr', NOWHERE, 'dev', 'eth0', 'nud', 'permanent'],
      off: [...neighbour, 'delete', REDIS, 'dev', 'eth0'],
    },
    back: { on: ['rule', 'add', ...back], off: ['rule', 'delete', ...back] },
  };
}

async function partitioned(host: Host, directions: readonly Direction[]): Promise<void> {
  const lost = losses(host);
  for (const direction of directions) ip(...lost[direction].on);
  await pause(PARTITION_MILLIS);
  for (const direction of directions) ip(...lost[direction].off);
}

/** Sets the delay and the loss rate of all packets that leave a host. */
const impair = ({ name }: Host, verb: 'add' | 'delete'): void =>
  tc('-n', name, 'qdisc', verb, 'dev', 'eth0', 'root', ...(verb === 'add' ? IMPAIRMENT : []));

/** Returns whether the kernel supports this. */
const canImpair = ([host]: readonly Host[]): boolean =>
  host !== undefined &&
  tryTo(() => {
    impair(host, 'add');
    impair(host, 'delete');
  });

async function impaired(host: Host): Promise<void> {
  impair(host, 'add');
  await pause(PARTITION_MILLIS);
  impair(host, 'delete');
}

const impairment = (who: string, hosts: readonly Host[]): Fault =>
  fault(`the network of a ${who} delays by 40 ms and loses one packet of twenty`, (_, random) =>
    impaired(random.pick(hosts)),
  );

const partition = (name: string, hosts: readonly Host[], ...directions: Direction[]): Fault =>
  fault(name, (_, random) => partitioned(random.pick(hosts), directions));

/** The faults of the network between hosts. */
export const networkFaults = (who: string, hosts: readonly Host[]): readonly Fault[] => [
  partition(`the network separates a ${who} from Redis`, hosts, 'towards', 'back'),
  partition(`the network loses what a ${who} sends to Redis`, hosts, 'towards'),
  partition(`the network loses what Redis sends to a ${who}`, hosts, 'back'),
  ...(canImpair(hosts) ? [impairment(who, hosts)] : []),
];
