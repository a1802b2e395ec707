import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import manifest from '../../../package.json' with { type: 'json' };
import { type Client, createClient } from '../../../packages/client/src/client.ts';
import { connect, type ServerOptions, serverUrlOf } from '../connection/connect.ts';
import { errorText } from '../terminal/error-report.ts';
import { type Output, print } from '../terminal/output.ts';
import { TOOLS, type ToolContext, WorkingFolder } from './tools.ts';

export interface McpOptions extends ServerOptions, Output {
  folder: string;
  http?: number;
}

/** Loopback only: whoever serves others puts a proxy with TLS before it. */
const HOST = '127.0.0.1';
/** A photo of 20 MiB in base64, and what is around it. */
const MAX_BODY_BYTES = 28 * 2 ** 20;

/** Creates a server of the tools; a failure is a result that says what to do. */
function createMcpServer(context: Omit<ToolContext, 'signal'>): McpServer {
  const server = new McpServer({ name: manifest.name, version: manifest.version });
  for (const { name, title, description, input, run } of TOOLS) {
    const about = { title, description, inputSchema: input.shape };
    server.registerTool(name, about, async (given: unknown, { signal }: { signal: AbortSignal }) =>
      run(given, { ...context, signal }).catch((error: unknown) => ({
        isError: true,
        content: [{ type: 'text' as const, text: errorText(error) }],
      })),
    );
  }
  return server;
}

/** The SDK's declarations differ from its own interface under `exactOptionalPropertyTypes`. */
const asTransport = (transport: unknown): Transport => transport as Transport;

async function serveStdio(options: McpOptions, signal: AbortSignal): Promise<void> {
  const folder = new WorkingFolder(options.folder);
  const server = createMcpServer({ client: connect(options), folder });
  const ended = once(process.stdin, 'end', { signal });
  await server.connect(asTransport(new StdioServerTransport()));
  await ended.catch(() => {}); // Ctrl-C is an end too
  await server.close();
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new RangeError('too large');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const headers = {
    'content-type': 'application/json',
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
  };
  const error = { jsonrpc: '2.0', error: { code: -32000, message }, id: null };
  response.writeHead(status, headers).end(JSON.stringify(error));
}

/** Pages of other origins that reach this port, by whatever name, get nothing. */
const isForeign = ({ headers: { host, origin } }: IncomingMessage): boolean =>
  origin !== undefined || !/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host ?? '');

/** Answers one request with the key that it carries. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  clientOf: (key: string) => Client,
): Promise<void> {
  if (isForeign(request)) return refuse(response, 403, 'Only programs on this machine');
  const [, key] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? [];
  if (!key) return refuse(response, 401, 'Send a key of Selvage: Authorization: Bearer slv_…');
  if (request.method !== 'POST') return refuse(response, 405, 'Only POST: there are no sessions');
  let body: unknown;
  try {
    body = await readBody(request);
  } catch (error) {
    const isLarge = error instanceof RangeError;
    return refuse(response, isLarge ? 413 : 400, isLarge ? 'Too large' : 'The body is not JSON');
  }
  const server = createMcpServer({ client: clientOf(key), folder: undefined });
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.on('close', () => void server.close());
  await server.connect(asTransport(transport));
  await transport.handleRequest(request, response, body);
}

async function serveHttp(port: number, options: McpOptions, signal: AbortSignal): Promise<void> {
  const baseUrl = serverUrlOf(options, process.env);
  const clientOf = (key: string) => createClient({ baseUrl, key, retry: { maxAttempts: 5 } });
  const server = createServer((request, response) => {
    answer(request, response, clientOf).catch((error: unknown) => {
      console.error(errorText(error));
      if (response.headersSent) response.destroy();
      else refuse(response, 500, 'The request failed; the log of the server says why');
    });
  });
  server.listen(port, HOST);
  await once(server, 'listening');
  const url = `http://${HOST}:${(server.address() as AddressInfo).port}/mcp`;
  print(options, { url }, url);
  await once(signal, 'abort');
  server.close();
  server.closeAllConnections();
}

/** Serves the tools until the client leaves, or Ctrl-C. */
export const serveMcp = (options: McpOptions, signal: AbortSignal): Promise<void> =>
  options.http === undefined
    ? serveStdio(options, signal)
    : serveHttp(options.http, options, signal);
