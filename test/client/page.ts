import { readFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type Planted, plantServer } from '../support/servers.ts';

const HTML = `<!doctype html><title>A shop</title><script type="importmap">
{ "imports": { "@selvage/client": "/client/client.js", "eventsource-parser": "/parser/index.js" } }
</script>`;

function forward(gateway: string, request: IncomingMessage, response: ServerResponse): void {
  const { method = 'GET', headers, url } = request;
  const forwarded = httpRequest(`${gateway}${url}`, { method, headers }, (upstream) => {
    response.writeHead(upstream.statusCode ?? 502, upstream.headers);
    upstream.pipe(response);
  });
  request.pipe(forwarded.on('error', () => response.destroy()));
}

/**
 * Serves a page with the installed client, and forwards everything else to the gateway.
 * @param modules the `node_modules` folder of the client
 */
export function servePage(gateway: string, modules: string): Promise<Planted> {
  const folders: Readonly<Record<string, string>> = {
    client: join(modules, '@selvage', 'client', 'dist'),
    parser: join(modules, 'eventsource-parser', 'dist'),
  };
  return plantServer(async (request, response) => {
    const [, first = '', ...path] = new URL(request.url ?? '', 'http://page').pathname.split('/');
    const folder = folders[first];
    if (first === '') response.setHeader('content-type', 'text/html').end(HTML);
    else if (!folder || path.length === 0) forward(gateway, request, response);
    else {
      const script = await readFile(join(folder, ...path));
      response.setHeader('content-type', 'text/javascript').end(script);
    }
  });
}
