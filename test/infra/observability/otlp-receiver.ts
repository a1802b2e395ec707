import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { listen } from '../../support/free-port.ts';

const Attributes = z.array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) }));

const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  startTimeUnixNano: z.string().transform(BigInt),
  endTimeUnixNano: z.string().transform(BigInt),
  attributes: Attributes,
});
export type Span = z.infer<typeof Span>;

const Export = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

export const attribute = ({ attributes }: Pick<Span, 'attributes'>, key: string): unknown =>
  Object.values(attributes.find((known) => known.key === key)?.value ?? {})[0];

/** A private collector that receives traces as OTLP over HTTP in JSON. */
export async function startOtlpReceiver() {
  const spans: (Span & { service: unknown })[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const body: unknown = await json(request);
    bodies.push(JSON.stringify(body));
    for (const { resource, scopeSpans } of Export.parse(body).resourceSpans) {
      const service = attribute(resource, 'service.name');
      for (const span of scopeSpans.flatMap((scope) => scope.spans))
        spans.push({ ...span, service });
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    /** Everything received, as text. */
    text: () => bodies.join('\n'),
    stop(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}
