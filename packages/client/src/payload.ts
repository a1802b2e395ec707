import type { Bytes } from './interface.ts';
import type { Payload } from './transport.ts';

export const jsonPayload = (value: unknown): Payload => {
  const content = new TextEncoder().encode(JSON.stringify(value));
  return { content, bytes: content.byteLength, mediaType: 'application/json' };
};

export const toBlob = (bytes: Bytes): Blob =>
  bytes instanceof Blob ? bytes : new Blob([bytes as Uint8Array<ArrayBuffer>]);

type Field = string | number | boolean | object | undefined;

const isBytes = (value: Field): value is Bytes =>
  value instanceof Uint8Array || value instanceof Blob;

/** Formats a value as the text of a form field: lists with commas, objects in JSON. */
function toText(value: Exclude<Field, undefined>): string {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export type FormFields = Readonly<Record<string, Field>>;

/** Returns a form of the fields that are defined; bytes become file parts. */
export function formPayload(fields: FormFields): Payload {
  const form = new FormData();
  let bytes = 0;
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (isBytes(value)) {
      const blob = toBlob(value);
      bytes += blob.size;
      form.append(name, blob, name);
    } else {
      form.append(name, toText(value));
    }
  }
  return { content: form, bytes };
}
