import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { Problem } from '../platform/problem.ts';

/**
 * Approximate number of values in a JSON body; a wardrobe of 1,000 items has some 30,000. A body of
 * brackets or one-letter names only takes a thousand times as long to parse as an image of the same size.
 */
const MAX_VALUES = 200_000;
/** Members of a body that is a flat object. */
const MAX_MEMBERS = 200;

/** The characters that precede nearly every value. */
const SEPARATORS = [',', '[', '{'].map((character) => character.charCodeAt(0));

function hasTooManyValues(body: Buffer): boolean {
  let count = 0;
  for (const separator of SEPARATORS)
    for (let at = body.indexOf(separator); at >= 0; at = body.indexOf(separator, at + 1))
      if (++count > MAX_VALUES) return true;
  return false;
}

/** Rejects JSON bodies that would take too long to parse; the framework's own parser parses the others. */
export function limitJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    if (!isUtf8(bytes)) return done(new Problem('invalid-request', 'The body is not UTF-8'));
    if (hasTooManyValues(bytes)) {
      return done(new Problem('payload-too-large', `The JSON has more than ${MAX_VALUES} values`));
    }
    return parse(request, bytes.toString(), done);
  });
}

const Members = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/**
 * Returns the members of a body that is a flat object, undefined if it is something else.
 * @throws Problem payload-too-large
 */
export function membersOf(body: unknown): Readonly<Record<string, unknown>> | undefined {
  const members = Members.safeParse(body).data;
  if (!members || Object.keys(members).length <= MAX_MEMBERS) return members;
  throw new Problem('payload-too-large', `The body has more than ${MAX_MEMBERS} members`);
}
