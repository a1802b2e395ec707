import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { selfSigned } from '../workers/fetch/certificate.ts';
import { listen } from './free-port.ts';
import { run } from './processes.ts';

/** A stand-in for https://api.remove.bg that forwards to the compatible endpoints of a gateway. */
export interface RemoveBgHost {
  /** Calls a function of a client package in a new process; resolves with its result or its error. */
  call(client: string, method: string, options: object): Promise<unknown>;
  close(): Promise<void>;
}

const REDIRECT = pathToFileURL(join(import.meta.dirname, 'remove-bg-redirect.mjs')).href;

const CALL = `
const [client, method, options] = process.argv.slice(1);
const say = (outcome) => console.log('outcome ' + JSON.stringify(outcome));
require(client)[method](JSON.parse(options)).then((done) => say({ done }), (failed) => say({ failed }));`;

/**
 * Forwards a request to the compatible endpoints of the gateway, once all of it has arrived: Node
 * resets a connection whose request is answered while the client still sends, and the client would
 * then report the reset instead of the answer.
 */
async function forward(
  gatewayUrl: string,
  near: IncomingMessage,
  answer: ServerResponse,
): Promise<void> {
  const { method = 'GET', headers, url = '/' } = near;
  const body = await buffer(near);
  const far = ask(`${gatewayUrl}/compat/removebg${url}`, { method, headers }, (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(answer);
  });
  far.on('error', () => {
    if (!answer.headersSent) answer.destroy();
  });
  far.end(body);
}

export async function startRemoveBgHost(gatewayUrl: string): Promise<RemoveBgHost> {
  const folder = await mkdtemp(join(tmpdir(), 'selvage-remove-bg-'));
  const identity = selfSigned('api.remove.bg');
  const authority = join(folder, 'authority.pem');
  await writeFile(authority, identity.cert);
  const server = createServer(identity, (near, answer) => {
    forward(gatewayUrl, near, answer).catch(() => answer.destroy());
  });
  const env = { REMOVE_BG_PORT: String(await listen(server)), NODE_EXTRA_CA_CERTS: authority };
  return {
    async call(client, method, options) {
      const args = ['--import', REDIRECT, '-e', CALL, client, method, JSON.stringify(options)];
      const line = await run(process.execPath, args, env).line((output) =>
        output.startsWith('outcome '),
      );
      return JSON.parse(line.slice('outcome '.length));
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
