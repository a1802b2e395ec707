import { isAscii, isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parse as parseSecurely } from 'secure-json-parse';
import { z } from 'zod';
import { Problem } from '../platform/problem.ts';

/** Bodies up to this length are read at once, bytes. */
const SMALL_BYTES = 1024 * 1024;

/** There is one event loop, so its turns are given out in one place. */
let latest: Promise<unknown> = Promise.resolve();

/**
 * Waits for a turn of the event loop of its own before a step that reads a large body. Bodies that arrive together
 * would otherwise be read one after the other, with no other request in between.
 * @param bytes of the body
 */
export async function takeLoopTurn(bytes: number): Promise<void> {
  if (bytes <= SMALL_BYTES) return;
  latest = latest.then(() => setImmediate());
  await latest;
}

/**
 * Approximate number of values in a JSON body; a wardrobe of 1,000 items has some 30,000. A body of
 * brackets or one-letter names only takes a thousand times as long to parse as an image of the same size.
 */
const MAX_VALUES = 200_000;
/** Members of a body that is a flat object. */
const MAX_MEMBERS = 200;

/** The characters that precede nearly every value. */
const SEPARATORS = [...',[{'].map((character) => character.charCodeAt(0));

/**
 * Escape sequences in a JSON body, which take ten times as long to parse as other characters. Base64
 * of the largest image has some 430,000 if every slash is escaped, as PHP does.
 */
const MAX_ESCAPES = 1_000_000;
const ESCAPE = '\\'.charCodeAt(0);

interface Searchable<T> {
  indexOf(sought: T, from: number): number;
}

/** Returns how often any of the characters occurs, at most `max + 1`: it stops counting there. */
export function countUpTo<T>(text: Searchable<T>, characters: readonly T[], max: number): number {
  let count = 0;
  for (const character of characters)
    for (let at = text.indexOf(character, 0); at >= 0; at = text.indexOf(character, at + 1))
      if (++count > max) return count;
  return count;
}

/** Memory of one parsed value without its text, bytes: up to 87 were measured, for members of objects. */
const VALUE_BYTES = 100;

/**
 * Returns the memory that the parsed body takes, bytes.
 * @throws Problem payload-too-large if it would take too long to parse
 */
function measure(body: Buffer): number {
  const values = countUpTo(body, SEPARATORS, MAX_VALUES);
  const excess =
    (values > MAX_VALUES && `${MAX_VALUES} values`) ||
    (countUpTo(body, [ESCAPE], MAX_ESCAPES) > MAX_ESCAPES && `${MAX_ESCAPES} escapes`);
  if (excess) throw new Problem('payload-too-large', `The JSON has more than ${excess}`);
  return body.length + values * VALUE_BYTES;
}

const FORBIDDEN_MEMBER =
  'has a forbidden member: "__proto__", or "prototype" in "constructor"; remove it';

/** The message of the parser for such a member; a syntax error never has it. */
const isForbiddenMember = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('forbidden prototype property');

/** Why a text is no JSON, by what the parser says: never what it has there. */
function breakOf(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : '';
  const position = /position (\d+)/.exec(message)?.[1];
  if (/^Unexpected end|^Unterminated/.test(message) || Number(position) >= text.length)
    return 'it ends early';
  if (!position) return 'it has a value that JSON has not, such as NaN or a text without quotes';
  const before = text.slice(0, Number(position));
  const line = countUpTo(before, ['\n'], before.length) + 1;
  return `it breaks at line ${line}, character ${before.length - before.lastIndexOf('\n')}`;
}

/**
 * Parses JSON. Members that could replace a prototype (`__proto__`) are rejected.
 * @param part the name of the part of a form that it is, printable
 * @throws Problem invalid-request, which points to the part
 */
export function parseJson(text: string, part?: string): unknown {
  try {
    return parseSecurely(text, { protoAction: 'error', constructorAction: 'error' });
  } catch (cause) {
    const detail = isForbiddenMember(cause)
      ? FORBIDDEN_MEMBER
      : `is not JSON: ${breakOf(cause, text)}`;
    if (part === undefined) throw new Problem('invalid-request', `The body ${detail}`, { cause });
    const errors = [{ pointer: `/${part}`, detail }];
    throw new Problem('invalid-request', `The part "${part}" ${detail}`, { errors, cause });
  }
}

/** Returns the parsed body, or its text if the handler parses it. @throws Problem */
async function readJson({ requestContext, routeOptions }: FastifyRequest, body: Buffer) {
  const { parsesJson, isBodyOptional } = routeOptions.config;
  if (body.length === 0) {
    if (isBodyOptional) return undefined;
    throw new Problem('invalid-request', 'The body is empty; send a JSON object');
  }
  await takeLoopTurn(body.length);
  if (!isUtf8(body))
    throw new Problem('invalid-request', 'The body is not UTF-8; send its text in UTF-8');
  const parsedBytes = measure(body);
  // Faster, and the same, for the characters of base64.
  const isOneByte = isAscii(body);
  const text = body.toString(isOneByte ? 'latin1' : 'utf8');
  const textBytes = isOneByte ? text.length : 2 * text.length;
  requestContext.bodyHold?.resize(parsesJson ? textBytes : parsedBytes);
  if (parsesJson) return text;
  await takeLoopTurn(body.length);
  return parseJson(text);
}

/** Parses bodies of a media type as JSON, but for those that would take too long to parse. */
export function parseAsJson(app: FastifyInstance, mediaType = 'application/json'): void {
  app.removeContentTypeParser(mediaType);
  app.addContentTypeParser(mediaType, { parseAs: 'buffer' }, readJson);
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
