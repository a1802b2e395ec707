import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { Problem } from '../platform/problem.ts';

/**
 * Values of a JSON body, about: a wardrobe of 1,000 items has some 30,000. A body of nothing but brackets or
 * one-letter names takes a thousand times as long to read as one of the same size that is an image.
 */
const MOST_VALUES = 200_000;
/** Members of a body that is one flat object. */
const MOST_MEMBERS = 200;

/** What comes before nearly every value. */
const SIGNS = [',', '[', '{'].map((sign) => sign.charCodeAt(0));

function hasTooMany(body: Buffer): boolean {
  let count = 0;
  for (const sign of SIGNS)
    for (let at = body.indexOf(sign); at >= 0; at = body.indexOf(sign, at + 1))
      if (++count > MOST_VALUES) return true;
  return false;
}

/** Has JSON bodies read by the framework's own parser, where they are worth its time. */
export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    if (!isUtf8(bytes)) return done(new Problem('invalid-request', 'The body is not UTF-8'));
    if (hasTooMany(bytes)) {
      return done(new Problem('payload-too-large', `The JSON has over ${MOST_VALUES} values`));
    }
    return parse(request, bytes.toString(), done);
  });
}

const Members = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/**
 * The members of a body that is a flat object, or nothing where it is something else.
 * @throws Problem payload-too-large
 */
export function membersOf(body: unknown): Readonly<Record<string, unknown>> | undefined {
  const members = Members.safeParse(body).data;
  if (!members || Object.keys(members).length <= MOST_MEMBERS) return members;
  throw new Problem('payload-too-large', `The body has more than ${MOST_MEMBERS} members`);
}
