import { setTimeout as sleep } from 'node:timers/promises';
import type { Span as ApiSpan, Tracer } from '@opentelemetry/api';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-node';
import type { Telemetry } from 'bullmq';
import type { FastifyRequest } from 'fastify';
import { hostClock } from './clock.ts';

const UNTRACED = ['/livez', '/readyz', '/metrics'];
/** Shutdown does not wait longer for a collector; spans not exported by then are lost. */
const FLUSH_MILLIS = 2000;

type Api = typeof import('@opentelemetry/api');

/** What a process that traces adds to the spans of its libraries. */
class Tracing {
  readonly #api: Api;
  readonly #tracer: Tracer;
  /** Lets traces continue through queues and workers. */
  readonly queue: Telemetry;

  constructor(api: Api, tracer: Tracer, queue: Telemetry) {
    this.#api = api;
    this.#tracer = tracer;
    this.queue = queue;
  }

  /** Adds the id of the request a job belongs to to the job's span. */
  requestId(requestId: string): void {
    this.#api.trace.getActiveSpan()?.setAttribute('selvage.request_id', requestId);
  }

  /**
   * Adds a span for each step of a job to the active span. Their positions are reconstructed afterwards:
   * `fetch` comes first, `store` last, and the steps of the engine one after the other before it.
   * @param steps milliseconds by name; `engine` is the sum of those within the child
   * @param startedAtMillis host time, as OpenTelemetry's own spans
   */
  steps(
    { fetch, store, engine, ...inner }: Readonly<Record<string, number>>,
    startedAtMillis: number,
  ): void {
    const parent = this.#api.context.active();
    const span = (name: string, from: number, millis: number, context = parent) => {
      const started = this.#tracer.startSpan(name, { startTime: from }, context);
      started.end(from + millis);
      return this.#api.trace.setSpan(context, started);
    };
    if (fetch !== undefined) span('fetch', startedAtMillis, fetch);
    const engineEnd = hostClock() - (store ?? 0);
    let from = engine === undefined ? startedAtMillis + (fetch ?? 0) : engineEnd - engine;
    const within = engine === undefined ? parent : span('engine', from, engine);
    for (const [name, millis] of Object.entries(inner)) {
      span(name, from, millis, within);
      from += millis;
    }
    if (store !== undefined) span('store', engineEnd, store);
  }
}

/**
 * Set once, when a process starts tracing; OpenTelemetry's own provider is global to the process too.
 * While it is unset, no OpenTelemetry package is loaded.
 */
let active: Tracing | undefined;

/** Undefined if tracing is off. */
export const tracing = (): Tracing | undefined => active;

/** Drops root spans of libraries' own work (locks, fetching the next job): they belong to no request. */
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

/** Paths may hold secrets (a link to a cut-out is one), so a span names the route instead. */
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

/** Beyond these, OpenTelemetry's own environment variables apply. */
interface TracingOptions {
  /** `gateway` or `worker`; `OTEL_SERVICE_NAME` overrides it. */
  process: string;
  version: string;
  /** If false, nothing is traced. */
  isOn: boolean;
}

/**
 * Starts tracing if it is on; call it before creating queues and servers. Exporter, sampler and batching
 * read OpenTelemetry's own variables (`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_TRACES_SAMPLER` and others).
 * @returns a function that flushes and stops tracing
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
  const attributes = { 'service.name': `selvage-${name}`, 'service.version': version };
  const provider = new sdk.NodeTracerProvider({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes(attributes))
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [withoutHousekeeping(new sdk.BatchSpanProcessor(new OTLPTraceExporter()), api)],
  });
  provider.register();
  const queue = new BullMQOtel({ tracerName: 'selvage', version });
  active = new Tracing(api, api.trace.getTracer('selvage', version), queue);
  if (name === 'gateway') await traceRequests();
  return async () => {
    const timeout = sleep(FLUSH_MILLIS, undefined, { ref: false });
    await Promise.race([provider.shutdown().catch(() => {}), timeout]);
  };
}
