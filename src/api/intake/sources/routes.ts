import type { Gateway } from '../../../gateway.ts';
import { type Call, json, jsonDoc, type Route, route } from '../../../http/route.ts';
import type { DeclaredSource, Place } from '../../../intake/sources/declared-sources.ts';
import { nameProblem } from '../../../intake/sources/manifest-lines.ts';
import { countObjects, statusOfSource } from '../../../intake/sources/source-state.ts';
import { unlessDefault } from '../../../output/request.ts';
import { Problem } from '../../../platform/problem.ts';
import { notFound } from '../../common-problems.ts';
import { acceptOptions } from '../accept-options.ts';
import { OUTPUT_SECONDS } from '../job-request.ts';
import { retentionPolicy } from '../retention-policy.ts';
import { objectsInEvent, subscriptionInEvent } from './event-names.ts';
import {
  EventReceipt,
  FailuresQuery,
  SourceEvent,
  SourceFailures,
  SourceList,
  SourceRequest,
  SourceResponse,
} from './schemas.ts';

const SOURCES_PATH = '/intake/v1/sources';

const placeView = (place: Place): SourceResponse['from'] =>
  place.kind === 's3'
    ? { kind: 's3', bucket: place.bucket, prefix: place.prefix }
    : { kind: 'folder' };

const timeOf = (millis: number): string => new Date(millis).toISOString();

class SourceActions {
  readonly #services;

  constructor(services: Gateway) {
    this.#services = services;
  }

  /** Returns the source of a request. Another client's is not-found: its existence is not disclosed. */
  #requireOwn(call: Call): DeclaredSource {
    const { client } = call;
    const found = this.#services.declared.find((source) => source.id === call.params.id);
    if (found?.client !== client) throw notFound('source');
    return found;
  }

  async #read(source: DeclaredSource): Promise<SourceResponse> {
    const record = await this.#services.sources.get(source.id);
    const { settings, problem, listedAtMillis, retryAtMillis, unlisted } = record;
    const self = `${SOURCES_PATH}/${source.id}`;
    return {
      id: source.id,
      from: placeView(source.from),
      to: placeView(source.to),
      everySeconds: source.everySeconds,
      status: statusOfSource(record),
      counts: await countObjects(this.#services.batches, record),
      failures: {
        ...(await this.#services.sources.failures.count(source.id)),
        unlisted: unlisted.length,
      },
      ...(listedAtMillis > 0 && { listedAt: timeOf(listedAtMillis) }),
      ...(problem && { problem, retryAt: timeOf(retryAtMillis) }),
      ...(settings?.options && { options: settings.options }),
      ...(settings && { changedAt: settings.changedAt }),
      ...(record.subscription && { subscription: record.subscription }),
      links: { self, events: `${self}/events`, scan: `${self}/scan`, failures: `${self}/failures` },
    };
  }

  async list(call: Call): Promise<{ sources: SourceResponse[] }> {
    const { client } = call;
    const own = this.#services.declared.filter((source) => source.client === client);
    return { sources: await Promise.all(own.map((source) => this.#read(source))) };
  }

  show(call: Call): Promise<SourceResponse> {
    return this.#read(this.#requireOwn(call));
  }

  /** Stores what the client has set; the key that does pays for the objects. */
  async put(call: Call<unknown, SourceRequest>): Promise<SourceResponse> {
    const source = this.#requireOwn(call);
    const caller = call.caller;
    const { options: sent, paused } = call.body;
    const options = sent
      ? (await acceptOptions(this.#services, caller.client, sent)).options
      : (await this.#services.sources.get(source.id)).settings?.options;
    const policy = await retentionPolicy(
      caller,
      OUTPUT_SECONDS.max,
      this.#services.readClientLimits,
    );
    const settings = {
      ...unlessDefault(options ?? {}),
      paused,
      meter: caller.meter,
      outputSeconds: policy.outputSeconds,
      requestId: call.requestId,
    };
    await this.#services.sources.putSettings(source, settings);
    return this.#read(source);
  }

  /** Has the objects looked up that an event names. */
  async receive(call: Call): Promise<{ objects: number; ignored: number }> {
    const { id, from } = this.#requireOwn(call);
    const subscription = subscriptionInEvent(call.body);
    if (subscription) {
      const receivedAt = timeOf(this.#services.now());
      const changes = { subscription: { ...subscription, receivedAt } };
      await this.#services.sources.update(id, changes);
      return { objects: 0, ignored: 0 };
    }
    const named = objectsInEvent(call.body);
    if (!named) {
      throw new Problem(
        'invalid-request',
        'The body is no event of S3, MinIO, EventBridge, SQS or SNS that names objects',
      );
    }
    if (from.kind !== 's3') {
      throw new Problem('conflict', 'The source is a folder, which has no events; POST …/scan');
    }
    const { bucket, prefix } = from;
    const own = named.filter((each) => each.bucket === bucket && each.key.startsWith(prefix));
    // A name with ".." never becomes part of a request: on its way it might lead out of the prefix.
    const names = own
      .map(({ key }) => key.slice(prefix.length))
      .filter((name) => nameProblem(name) === undefined);
    await this.#services.sources.addHints(id, [...new Set(names)]);
    return { objects: named.length, ignored: named.length - names.length };
  }

  /** Returns objects that fail by themselves, by name. */
  async failures(call: Call<FailuresQuery, unknown>): Promise<SourceFailures> {
    const { id } = this.#requireOwn(call);
    const { limit, after } = call.query;
    const found = await this.#services.sources.failures.list(id, after, limit);
    const { unlisted } = await this.#services.sources.get(id);
    const last = found.length === limit ? found.at(-1) : undefined;
    const next = `${SOURCES_PATH}/${id}/failures?limit=${limit}&after=`;
    return {
      failures: found.map(({ name, reason, attempts, sinceMillis, lastMillis, ...rest }) => ({
        name,
        reason,
        attempts,
        since: timeOf(sinceMillis),
        lastAt: timeOf(lastMillis),
        ...(rest.retryAtMillis !== undefined && { retryAt: timeOf(rest.retryAtMillis) }),
      })),
      unlisted,
      ...(last && { links: { next: next + encodeURIComponent(last.name) } }),
    };
  }

  /** Has all objects listed at once, and tries again those that failed. */
  async scan(call: Call): Promise<SourceResponse> {
    const source = this.#requireOwn(call);
    await this.#services.sources.failures.retryAll(source.id);
    await this.#services.sources.update(source.id, { isScanRequested: true });
    return this.#read(source);
  }
}

const SCOPE = 'background-removal:process';
const SOURCE_PATH = `${SOURCES_PATH}/:id`;
/** What SQS, SNS and EventBridge carry at most. */
const MAX_EVENT_BYTES = 256 * 1024;

const sourceDoc = jsonDoc('The source', SourceResponse);

export function sourceRoutes(services: Gateway): Route[] {
  const actions = new SourceActions(services);
  return [
    route('listSources', `GET ${SOURCES_PATH}`, {
      responses: { 200: jsonDoc('Sources', SourceList) },
      handle: async (call) => json(await actions.list(call)),
    }),
    route('getSource', `GET ${SOURCE_PATH}`, {
      responses: { 200: sourceDoc },
      handle: async (call) => json(await actions.show(call)),
    }),
    route('listSourceFailures', `GET ${SOURCE_PATH}/failures`, {
      query: FailuresQuery,
      responses: { 200: jsonDoc('A page', SourceFailures) },
      handle: async (call) => json(await actions.failures(call)),
    }),
    route('putSource', `PUT ${SOURCE_PATH}`, {
      scope: SCOPE,
      body: SourceRequest,
      optionalBody: true,
      responses: { 200: sourceDoc },
      handle: async (call) => json(await actions.put(call)),
    }),
    route('postSourceEvent', `POST ${SOURCE_PATH}/events`, {
      scope: SCOPE,
      body: SourceEvent,
      textIsJson: true, // as SNS declares it
      maxBodyBytes: MAX_EVENT_BYTES,
      responses: { 202: jsonDoc('The objects are looked up', EventReceipt) },
      handle: async (call) => ({ status: 202, body: await actions.receive(call) }),
    }),
    route('scanSource', `POST ${SOURCE_PATH}/scan`, {
      scope: SCOPE,
      responses: { 202: sourceDoc },
      handle: async (call) => ({ status: 202, body: await actions.scan(call) }),
    }),
  ];
}
