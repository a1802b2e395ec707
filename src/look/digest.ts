import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { Problem } from '../platform/problem.ts';
import type { Model } from './params.ts';
import { Targets } from './schema.ts';

/** Key id -> secret; the first signs, all verify. */
export type SigningKeys = ReadonlyMap<string, KeyObject>;

/** Reads `kid:secret,kid2:secret2`. */
export const readSigningKeys = (text: string): SigningKeys =>
  new Map(
    text.split(',').map((pair) => {
      const at = pair.indexOf(':');
      const secret = Buffer.from(pair.slice(at + 1).trim());
      return [pair.slice(0, at).trim(), createSecretKey(secret)] as const;
    }),
  );

const DOMAIN = 'look-targets/1\n';
const FORM = /^v1\.([\w.-]{1,64})\.([A-Za-z0-9_-]{43})$/;

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

function inOrder(value: Fields): Fields {
  const ordered: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) {
    const part = value[key];
    ordered[key] = isObject(part) ? inOrder(part) : part;
  }
  return ordered;
}

/** Canonical JSON (RFC 8785) of objects without arrays, in half the time of one for any value. */
export const canonicalJson = (value: Fields): string => JSON.stringify(inOrder(value));

const mac = (unsigned: Fields, secret: KeyObject): Buffer =>
  createHmac('sha256', secret)
    .update(DOMAIN + canonicalJson(unsigned))
    .digest();

/** The digest of targets without one: HMAC-SHA-256 over their canonical JSON (RFC 8785). */
export function digestOf(unsigned: Fields, keys: SigningKeys): string {
  const [first] = keys;
  if (!first) throw new Error('There is no signing key');
  const [kid, secret] = first;
  return `v1.${kid}.${mac(unsigned, secret).toString('base64url')}`;
}

const altered = (pointer: string, detail: string) =>
  new Problem(
    'targets-altered',
    'Send `targets` exactly as /look/v1/candidates or /look/v1/targets gave them',
    { errors: [{ pointer, detail }] },
  );

const expired = (pointer: string, detail: string) =>
  new Problem('targets-expired', 'Ask /look/v1/candidates again for new targets', {
    errors: [{ pointer, detail }],
  });

/**
 * The targets, once they are proved to carry a digest of ours over exactly these values, however they
 * are written. What is not of the form we issue is refused before it is walked through.
 * @throws Problem targets-altered, targets-expired
 */
export function checkDigest(model: Model, given: Fields, keys: SigningKeys): Targets {
  const parts = FORM.exec(typeof given.digest === 'string' ? given.digest : '');
  if (!parts) throw altered('/targets/digest', 'is missing or not of the form given out');
  const [, kid = '', signature = ''] = parts;
  const secret = keys.get(kid);
  if (secret === undefined) throw expired('/targets/digest', 'was signed with a key now retired');
  const parsed = Targets.safeParse(given);
  if (!parsed.success) throw altered('/targets', 'is not of the form given out');
  const { digest: _, ...unsigned } = parsed.data;
  if (!timingSafeEqual(Buffer.from(signature, 'base64url'), mac(unsigned, secret)))
    throw altered('/targets', 'a value differs from the one signed');
  if (!model.supportedTargetVersions.includes(unsigned.paramsVersion))
    throw expired('/targets/paramsVersion', 'these coefficients are no longer in use');
  return parsed.data;
}
