import { json, type Route, route } from '../../../http/route.ts';
import { jsonDoc } from '../../json-doc.ts';
import { SOURCES_PATH, SourceActions, type SourceServices } from './actions.ts';
import {
  EventReceipt,
  FailuresQuery,
  SourceEvent,
  SourceFailures,
  SourceList,
  SourceRequest,
  SourceResponse,
} from './schemas.ts';

const SCOPE = 'background-removal:process';
const SOURCE_PATH = `${SOURCES_PATH}/:id`;
/** What SQS, SNS and EventBridge carry at most. */
const MAX_EVENT_BYTES = 256 * 1024;

const sourceDoc = jsonDoc('The source', SourceResponse);

export function sourceRoutes(services: SourceServices): Route[] {
  const actions = new SourceActions(services);
  return [
    route('listSources', `GET ${SOURCES_PATH}`, {
      scope: 'any-key',
      summary: 'List your sources',
      description: 'Those that the operator has declared for your client.',
      responses: { 200: jsonDoc('Sources', SourceList) },
      handle: async (call) => json(await actions.list(call)),
    }),
    route('getSource', `GET ${SOURCE_PATH}`, {
      scope: 'any-key',
      summary: 'Get the state of a source',
      description: 'What was found and done, and why nothing is done now.',
      responses: { 200: sourceDoc },
      problems: ['not-found'],
      handle: async (call) => json(await actions.show(call)),
    }),
    route<FailuresQuery>('listSourceFailures', `GET ${SOURCE_PATH}/failures`, {
      scope: 'any-key',
      summary: 'List the objects of a source that fail',
      description:
        'Objects that cannot be read, or whose result cannot be written, while others can. Each is tried again by itself, and given up after ten attempts; a new version, or `POST …/scan`, begins anew.',
      query: FailuresQuery,
      responses: {
        200: jsonDoc('A page', SourceFailures),
      },
      problems: ['not-found'],
      handle: async (call) => json(await actions.failures(call)),
    }),
    route<unknown, SourceRequest>('putSource', `PUT ${SOURCE_PATH}`, {
      scope: SCOPE,
      summary: 'Start a source, change its options, or pause it',
      description:
        'New objects are cut out with these options, and use the quota of this key; without `options`, with those of before. Objects that are done stay as they are.',
      body: SourceRequest,
      optionalBody: true,
      responses: { 200: sourceDoc },
      problems: ['not-found', 'conflict'],
      handle: async (call) => json(await actions.put(call)),
    }),
    route('postSourceEvent', `POST ${SOURCE_PATH}/events`, {
      scope: SCOPE,
      summary: 'Report new objects of a source',
      description:
        'Send events of a bucket as they are, again if in doubt, in any order: each object is looked up, and its present version is cut out once. The handshake of SNS is confirmed by `selvage sources confirm`.',
      body: SourceEvent,
      textIsJson: true, // as SNS declares it
      maxBodyBytes: MAX_EVENT_BYTES,
      responses: {
        202: jsonDoc('The objects are looked up', EventReceipt),
      },
      problems: ['not-found', 'conflict'],
      handle: async (call) => ({ status: 202, body: await actions.receive(call) }),
    }),
    route('scanSource', `POST ${SOURCE_PATH}/scan`, {
      scope: SCOPE,
      summary: 'List the objects of a source now',
      description:
        'Without waiting for its interval; also if a place was out of reach. Objects that failed are tried again.',
      responses: { 202: sourceDoc },
      problems: ['not-found'],
      handle: async (call) => ({ status: 202, body: await actions.scan(call) }),
    }),
  ];
}
