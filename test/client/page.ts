import { readFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { basename, join } from 'node:path';
import { type Planted, plantServer } from '../support/servers.ts';

const HTML = `<!doctype html><title>A shop</title><script type="importmap">
{ "imports": { "selvage/client": "/client/client.js", "eventsource-parser": "/parser/index.js" } }
</script>`;

function forward(gateway: string, request: IncomingMessage, response: ServerResponse): void {
  const { method = 'GET', headers, url } = request;
  const sent = httpRequest(`${gateway}${url}`, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  request.pipe(sent.on('error', () => response.destroy()));
}

/**
 * A page with the built client, and the gateway behind the same address.
 * @param modules the folder that packages are installed in
 */
export function plantPage(gateway: string, modules: string): Promise<Planted> {
  const folders: Readonly<Record<string, string>> = {
    client: join(modules, 'selvage', 'dist', 'src', 'client'),
    parser: join(modules, 'eventsource-parser', 'dist'),
  };
  return plantServer(async (request, response) => {
    const [, first = '', second] = (request.url ?? '').split('/');
    const folder = folders[first];
    if (first === '') response.setHeader('content-type', 'text/html').end(HTML);
    else if (!folder || !second) forward(gateway, request, response);
    else {
      const script = await readFile(join(folder, basename(second)));
      response.setHeader('content-type', 'text/javascript').end(script);
    }
  });
}
