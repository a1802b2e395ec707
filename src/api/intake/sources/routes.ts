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
