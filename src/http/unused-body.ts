import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../platform/problem.ts';
import { UNKNOWN_MEDIA_TYPE } from './problem-response.ts';

/** Limit of a body that its route does not use. */
export const UNUSED_BODY_BYTES = 1024;

const NOTHING = /^$/;
const NOTHING_OR_EMPTY_OBJECT = /^\s*(\{\s*\}\s*)?$/;

/**
 * Returns a parser of bodies that must say nothing.
 * @param accepted what the text of such a body looks like
 * @throws Problem unsupported-media-type for other bodies, and for those over 1 KiB
 */
const requireText =
  (accepted: RegExp) =>
  async (_request: unknown, payload: IncomingMessage): Promise<undefined> => {
    let text = '';
    // Not destroyed at the end: there is still a response to send.
    for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
      text += chunk;
      if (text.length > UNUSED_BODY_BYTES) break;
    }
    if (accepted.test(text)) return;
    payload.resume(); // lets the client finish sending, and then see the response
    throw new Problem('unsupported-media-type', UNKNOWN_MEDIA_TYPE);
  };

/** Accepts no body under any media type that has no parser, and under none. */
export const acceptNoBody = (scope: FastifyInstance): void => {
  scope.addContentTypeParser('*', requireText(NOTHING));
};

/** Accepts `{}` for no body, on a route that has no other JSON. */
export const acceptEmptyJson = (scope: FastifyInstance): void => {
  scope.addContentTypeParser('application/json', requireText(NOTHING_OR_EMPTY_OBJECT));
};
