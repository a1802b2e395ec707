import type { Bytes } from './interface.ts';
import type { Payload } from './transport.ts';

export const jsonPayload = (value: unknown): Payload => {
  const content = new TextEncoder().encode(JSON.stringify(value));
  return { content, bytes: content.byteLength, mediaType: 'application/json' };
};

export const asBlob = (bytes: Bytes): Blob =>
  bytes instanceof Blob ? bytes : new Blob([bytes as Uint8Array<ArrayBuffer>]);

type Field = string | number | boolean | object | undefined;

const isBytes = (value: Field): value is Bytes =>
  value instanceof Uint8Array || value instanceof Blob;

/** A value as the text of a form's part: lists with commas, objects in JSON. */
function textOf(value: Exclude<Field, undefined>): string {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A form of those fields that are there; bytes become file parts. */
export function formPayload(fields: Readonly<Record<string, Field>>): Payload {
  const form = new FormData();
  let bytes = 0;
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (isBytes(value)) {
      const blob = asBlob(value);
      bytes += blob.size;
      form.append(name, blob, name);
    } else {
      form.append(name, textOf(value));
    }
  }
  return { content: form, bytes };
}

/** A new Idempotency-Key: made once for a call and kept over its attempts. */
export const oneTime = (): Record<string, string> => {
  const random = crypto.getRandomValues(new Uint8Array(16));
  const key = [...random].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return { 'idempotency-key': key };
};
