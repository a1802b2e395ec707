import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as passOn,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { listen } from '../support/free-port.ts';

/** A storage call that passes the gate. */
export interface StoreCall {
  /** The process that makes it: its `AWS_SDK_UA_APP_ID`. */
  who: string;
  method: string;
  key: string;
}

/** The fault of a call. */
export type Spoiling =
  | { action: 'refuse'; status: number; code: string }
  | { action: 'delay'; millis: number }
  /** Bodies are sent in small chunks with pauses. */
  | { action: 'drip'; millis: number }
  /** The connection is reset in the middle of the request's body, or of the response's. */
  | { action: 'break' };

/** Selects the faults of calls. */
export type Spoiler = (call: StoreCall) => Spoiling | undefined;

/** A moment of a call: when it arrives, or when the server has processed it. */
export interface Moment {
  at: 'request' | 'answer';
  isIt(call: StoreCall): boolean;
}

/** A proxy in front of an S3 server that injects faults of storage. */
export interface StoreGate {
  endpoint: string;
  /** Injects faults into calls until `mend`. */
  spoil(spoiler: Spoiler): void;
  mend(): void;
  /** Connections are refused until `open`. */
  shut(): Promise<void>;
  open(): Promise<void>;
  /** Calls `met` once at the moment; the call gets no response. Returns a function that cancels. */
  meet(moment: Moment, met: (call: StoreCall) => void): () => void;
  close(): Promise<void>;
}

/** How bytes pass the gate. */
type Shaping = (source: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;

const DROP_BYTES = 64;
/** Time for the first half to arrive. */
const BREAK_MILLIS = 50;

const whole: Shaping = (source) => source;

const inDrops = (millis: number): Shaping =>
  async function* (source) {
    for await (const bytes of source) {
      for (let at = 0; at < bytes.length; at += DROP_BYTES) {
        yield bytes.subarray(at, at + DROP_BYTES);
        await pause(millis);
      }
    }
  };

const halfOf = (bytes: number): Shaping =>
  async function* (source) {
    let left = Math.floor(bytes / 2);
    for await (const chunk of source) {
      if (chunk.length > left) {
        yield chunk.subarray(0, left);
        break;
      }
      yield chunk;
      left -= chunk.length;
    }
    await pause(BREAK_MILLIS);
    throw new Error('broken off in the middle');
  };

const lengthOf = ({ headers }: IncomingMessage): number => Number(headers['content-length'] ?? 0);

/** How a body passes, by the fault of the call. */
function shapingOf(spoiling: Spoiling | undefined, body: IncomingMessage): Shaping {
  if (spoiling?.action === 'drip') return inDrops(spoiling.millis);
  // A call without a body is broken in its response.
  if (spoiling?.action === 'break' && lengthOf(body) > 0) return halfOf(lengthOf(body));
  return whole;
}

function callOf({ method = 'GET', url = '/', headers }: IncomingMessage): StoreCall {
  const [, , ...key] = new URL(url, 'http://store').pathname.split('/');
  const who = /app\/(\S+)/.exec(headers['user-agent'] ?? '')?.[1] ?? '';
  return { who, method, key: key.join('/') };
}

function rejectCall(response: ServerResponse, status: number, code: string): void {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;
  response.writeHead(status, { 'content-type': 'application/xml', connection: 'close' }).end(body);
}

/** Starts a gate in front of an S3 server. */
export async function startStoreGate(target: string): Promise<StoreGate> {
  const { hostname, port: targetPort } = new URL(target);
  const agent = new Agent({ keepAlive: true });
  const watches = new Set<{ moment: Moment; met: (call: StoreCall) => void }>();
  let spoiler: Spoiler = () => undefined;

  /** Returns whether this moment was awaited. */
  function isMet(call: StoreCall, at: Moment['at']): boolean {
    const watch = [...watches].find(({ moment }) => moment.at === at && moment.isIt(call));
    if (!watch) return false;
    watches.delete(watch);
    watch.met(call);
    return true;
  }

  /** Host and all other headers are forwarded unchanged: they are signed. */
  async function forward(request: IncomingMessage, response: ServerResponse, call: StoreCall) {
    const spoiling = spoiler(call);
    if (isMet(call, 'request')) throw new Error('met');
    if (spoiling?.action === 'refuse') {
      request.resume();
      return rejectCall(response, spoiling.status, spoiling.code);
    }
    if (spoiling?.action === 'delay') await pause(spoiling.millis);
    const { method, url: path, headers } = request;
    const onward = passOn({ hostname, port: targetPort, method, path, headers, agent });
    const answered = once(onward, 'response');
    answered.catch(() => {}); // reported by the pipeline if that fails
    await pipeline(request, shapingOf(spoiling, request), onward);
    const [answer]: IncomingMessage[] = await answered;
    if (!answer) throw new Error('no answer');
    if (isMet(call, 'answer')) throw new Error('met');
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    await pipeline(answer, shapingOf(spoiling, answer), response);
  }

  const server = createServer((request, response) => {
    const { socket } = request;
    forward(request, response, callOf(request)).catch(() => socket.resetAndDestroy());
  });
  const port = await listen(server);

  async function shut(): Promise<void> {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
  return {
    endpoint: `http://127.0.0.1:${port}`,
    shut,
    spoil(next) {
      spoiler = next;
    },
    mend() {
      spoiler = () => undefined;
    },
    async open() {
      if (server.listening) return;
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    meet(moment, met) {
      const watch = { moment, met };
      watches.add(watch);
      return () => void watches.delete(watch);
    },
    async close() {
      await shut();
      agent.destroy();
    },
  };
}
