import type { Span as ApiSpan, Tracer } from '@opentelemetry/api';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-node';
import type { Telemetry } from 'bullmq';
import type { FastifyRequest } from 'fastify';

const UNTRACED = ['/livez', '/readyz', '/metrics'];
/** What has not gone out by then is lost: nobody's shutdown waits for a collector that is away. */
const FLUSH_MILLIS = 2000;

type Api = typeof import('@opentelemetry/api');

interface Live {
  api: Api;
  tracer: Tracer;
  queue: Telemetry;
}

/**
 * Set once, at the start of a process that traces. OpenTelemetry's own provider is as wide as the
 * process too; without it nothing here does anything, and none of its packages is loaded.
 */
let live: Live | undefined;

/** What queues and workers are given so that a trace goes through them; nothing where tracing is off. */
export const queueTelemetry = (): Telemetry | undefined => live?.queue;

/** Names the request a job belongs to in the job's own span. */
export function traceRequestId(requestId: string): void {
  live?.api.trace.getActiveSpan()?.setAttribute('selvage.request_id', requestId);
}

/**
 * Shows in the active span where a job's time went. The steps are laid out after the fact: first what
 * was fetched, last what was stored, and before that what the engine did, one thing after the other.
 * @param steps milliseconds by name; `engine` is the sum of those within the child
 */
export function traceSteps(
  { fetch, store, engine, ...inner }: Readonly<Record<string, number>>,
  startedAtMillis: number,
  endedAtMillis = Date.now(),
): void {
  if (!live) return;
  const { api, tracer } = live;
  const span = (name: string, from: number, millis: number, context = api.context.active()) => {
    const made = tracer.startSpan(name, { startTime: from }, context);
    made.end(from + millis);
    return api.trace.setSpan(context, made);
  };
  if (fetch !== undefined) span('fetch', startedAtMillis, fetch);
  const engineEnd = endedAtMillis - (store ?? 0);
  let from = engine === undefined ? startedAtMillis + (fetch ?? 0) : engineEnd - engine;
  const within = engine === undefined ? api.context.active() : span('engine', from, engine);
  for (const [name, millis] of Object.entries(inner)) {
    span(name, from, millis, within);
    from += millis;
  }
  if (store !== undefined) span('store', engineEnd, store);
}

/** What libraries do on their own account (locks, next jobs) belongs to nobody's request. */
function withoutHousekeeping(next: SpanProcessor, api: Api): SpanProcessor {
  return {
    onStart: (span, context) => next.onStart(span, context),
    onEnd(span: ReadableSpan) {
      if (span.kind === api.SpanKind.INTERNAL && !span.parentSpanContext) return;
      next.onEnd(span);
    },
    forceFlush: () => next.forceFlush(),
    shutdown: () => next.shutdown(),
  };
}

/** Paths may hold secrets (a link to a cut-out is one): a span says the route. */
function nameRequest(span: ApiSpan, request: FastifyRequest): void {
  const route = request.routeOptions.url ?? '(none)';
  span.updateName(`${request.method} ${route}`);
  span.setAttributes({ 'url.path': route, 'selvage.request_id': request.id });
}

async function traceRequests(): Promise<void> {
  const { FastifyOtelInstrumentation } = await import('@fastify/otel');
  new FastifyOtelInstrumentation({
    registerOnInitialization: true,
    instrumentHooks: false,
    recordExceptions: false,
    ignorePaths: ({ url }) => UNTRACED.includes(url.split('?')[0] ?? ''),
    requestHook: nameRequest,
  });
}

/** What is traced, as OpenTelemetry's environment variables and these say it. */
export interface TracingOptions {
  /** `gateway` or `worker`; `OTEL_SERVICE_NAME` overrules it. */
  process: string;
  version: string;
  /** False leaves everything off. */
  isOn: boolean;
}

/**
 * Starts to trace, where it is wanted; before queues and servers are made. Exporter, sampler and batches
 * read OpenTelemetry's own variables (`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_TRACES_SAMPLER` and others).
 * Answers how to stop.
 */
export async function startTracing(options: TracingOptions): Promise<() => Promise<void>> {
  if (!options.isOn) return async () => {};
  const [api, sdk, { OTLPTraceExporter }, { BullMQOtel }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('bullmq-otel'),
    import('@opentelemetry/resources'),
  ]);
  const { process: name, version } = options;
  const ours = { 'service.name': `selvage-${name}`, 'service.version': version };
  const provider = new sdk.NodeTracerProvider({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes(ours))
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [withoutHousekeeping(new sdk.BatchSpanProcessor(new OTLPTraceExporter()), api)],
  });
  provider.register();
  live = {
    api,
    tracer: api.trace.getTracer('selvage', version),
    queue: new BullMQOtel({ tracerName: 'selvage', version }),
  };
  if (name === 'gateway') await traceRequests();
  return async () => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, FLUSH_MILLIS);
    });
    await Promise.race([provider.shutdown().catch(() => {}), late]);
    clearTimeout(timer);
  };
}
