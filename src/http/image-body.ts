import type { Readable } from 'node:stream';
import { fieldProblem, type Problem, type ProblemType } from '../platform/problem.ts';
import { countUpTo, membersOf, parseJsonPart } from './json-body.ts';

/** The content of an image request: the image's bytes and the other fields. */
export interface ImageForm {
  /** The image as sent; undefined if the form has none. */
  image: Uint8Array | undefined;
  /** The image to place behind the subject, if the form accepts and has one. */
  backgroundImage?: Uint8Array | undefined;
  /** Text parts (multipart) or the other members of the JSON body. */
  fields: Readonly<Record<string, unknown>>;
  /** JSON Pointers to where the images are, or would be, for errors about them. */
  pointers: Readonly<Record<ImagePartName, string>>;
  via: 'multipart' | 'json';
}

/** A part of a multipart body, as the parser returns it. */
export type Part =
  | {
      type: 'file';
      fieldname: string;
      filename?: string | undefined;
      mimetype?: string;
      file: Readable & { truncated: boolean };
    }
  | { type: 'field'; fieldname: string; value: unknown; valueTruncated: boolean };

/** Returns the format an image's first bytes show, such as `jpeg`; undefined if they show none. */
export type Sniff = (bytes: Uint8Array) => string | undefined;

const tooLarge = (maxBytes: number, field: string): Problem =>
  fieldProblem(
    'payload-too-large',
    `/${printable(field)}`,
    `is larger than ${maxBytes} bytes`,
    `The image is larger than ${maxBytes} bytes; send a smaller or more compressed one`,
  );

/** Returns the bytes of the file part `field`. @throws Problem payload-too-large */
export async function collect(
  file: Readable & { truncated: boolean },
  maxBytes: number,
  field: string,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of file) chunks.push(chunk);
  if (file.truncated) throw tooLarge(maxBytes, field);
  return Buffer.concat(chunks);
}

/** Limit of a part without a file, and of one in JSON. */
export const MAX_TEXT_PART_BYTES = 64 * 1024;
/** Limit of all parts in JSON together: they are parsed at once. */
const MAX_JSON_PARTS_BYTES = 2 * MAX_TEXT_PART_BYTES;

export const JSON_MEDIA_TYPE = 'application/json';

/**
 * Returns a reader of a form's parts in JSON, which come with the type `application/json` or, as a
 * browser sends a Blob, with a file name.
 */
export function createJsonPartReader() {
  let totalBytes = 0;
  /** @throws Problem invalid-request, payload-too-large */
  return async ({ fieldname, file }: Part & { type: 'file' }): Promise<unknown> => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of file) {
      bytes += chunk.length;
      totalBytes += chunk.length;
      if (bytes > MAX_TEXT_PART_BYTES || totalBytes > MAX_JSON_PARTS_BYTES) {
        throw partTooLong(fieldname);
      }
      chunks.push(chunk);
    }
    return parseJsonPart(Buffer.concat(chunks).toString(), printable(fieldname));
  };
}

/** Whether a part declares that it is JSON. */
export const isJson = ({ mimetype = '' }: Part & { type: 'file' }): boolean =>
  mimetype.startsWith(JSON_MEDIA_TYPE);

const partTooLong = (name: string): Problem =>
  partProblem('payload-too-large', name, 'is too long');

/** The names of file parts with images. */
export type ImagePartName = 'image' | 'backgroundImage';

/** Returns a problem that a part of a form is to blame for. */
export const partProblem = (type: ProblemType, name: string, error: string, advice = ''): Problem =>
  fieldProblem(
    type,
    `/${printable(name)}`,
    error,
    `The part "${printable(name)}" ${error}${advice && `; ${advice}`}`,
  );

/** @throws Problem if a field is no acceptable text */
function checkField(
  { fieldname, valueTruncated }: Part & { type: 'field' },
  files: readonly ImagePartName[],
): void {
  if (files.some((name) => name === fieldname)) {
    const detail = `Send "${fieldname}" as a file part, with a file name`;
    throw fieldProblem('invalid-request', `/${fieldname}`, 'must be a file part', detail);
  }
  if (valueTruncated) throw partTooLong(fieldname);
}

async function readFile(part: Part & { type: 'file' }, maxBytes: number): Promise<Uint8Array> {
  const bytes = await collect(part.file, maxBytes, part.fieldname);
  if (bytes.length > 0) return bytes;
  throw partProblem('invalid-request', part.fieldname, 'is empty');
}

/**
 * Reads a multipart form: at most one file part of each name, and parts of text and JSON.
 * @param maxBytes the parser's limit of a file, for the error's text
 * @param files the names of the accepted file parts
 * @param jsonParts the names of parts that are JSON, even with a file name
 * @throws Problem invalid-request, payload-too-large
 */
export async function readMultipart(
  parts: AsyncIterable<Part>,
  maxBytes: number,
  files: readonly ImagePartName[] = ['image'],
  jsonParts: readonly string[] = [],
): Promise<ImageForm> {
  const readJsonPart = createJsonPartReader();
  const found: Partial<Record<ImagePartName, Uint8Array>> = {};
  const fields: Record<string, unknown> = Object.create(null);
  for await (const part of parts) {
    if (part.type === 'field') {
      if (part.value === '' && part.fieldname === 'backgroundImage') continue; // no file was chosen
      checkField(part, files);
      fields[part.fieldname] = part.value;
      continue;
    }
    const name = files.find((file) => file === part.fieldname);
    if (name && !found[name]) {
      found[name] = await readFile(part, maxBytes);
      continue;
    }
    if (!name && (isJson(part) || jsonParts.includes(part.fieldname))) {
      fields[part.fieldname] = await readJsonPart(part);
      continue;
    }
    part.file.resume();
    throw name
      ? partProblem('invalid-request', name, 'is sent twice', 'send one per request')
      : fieldProblem(
          'invalid-request',
          `/${printable(part.fieldname)}`,
          'is not known here',
          `"${printable(part.fieldname)}" is not a part of this form; the file part is "${files.join('" or "')}"`,
        );
  }
  const pointers = { image: '/image', backgroundImage: '/backgroundImage' };
  return { image: undefined, ...found, fields, pointers, via: 'multipart' };
}

/** Returns a name chosen by a client in a form that is safe in a response. */
export const printable = (name: string): string => name.replaceAll(/[^\w.-]/g, '?').slice(0, 40);

/** The members of a JSON body that hold the image. */
type ImageMember = 'image_base64' | 'imageBase64';
type Member = ImageMember | 'backgroundImageBase64';

export interface ImageFormOptions {
  /** The JSON member with the image, by default `image_base64`. */
  member?: ImageMember;
  /** The names of parts that are JSON, even with a file name. */
  jsonParts?: readonly string[];
  /** Accepts the file part `backgroundImage` or the member `backgroundImageBase64` too. */
  background?: boolean;
}

/** Schemes have no case (RFC 3986, section 3.1). */
const DATA_SCHEME = /^data:/i;
const DATA_URL = /^data:([^;,]{0,100});base64,/i;

/** Splits a data URL into its media type and base64; plain base64 has no type. */
function splitDataUrl(
  text: string,
  member: Member,
): { declared: string | undefined; base64: string } {
  if (!DATA_SCHEME.test(text)) return { declared: undefined, base64: text };
  const match = DATA_URL.exec(text);
  if (!match) {
    throw fieldProblem(
      'invalid-request',
      `/${member}`,
      'is not of the form data:image/<type>;base64,<data>',
      'A data URL must have the form data:image/<type>;base64,<data>',
    );
  }
  return { declared: match[1]!.toLowerCase(), base64: text.slice(match[0].length) };
}

/** Line breaks, as the base64 command and MIME write them, and what browsers skip besides. */
const WHITESPACE = [...' \n\r\t\f'];
/** Whitespace in any base64; a longer one may have one such character in 32. */
const MIN_WHITESPACE = 1000;

const notBase64 = (member: Member): Problem =>
  fieldProblem(
    'invalid-request',
    `/${member}`,
    'has characters or a length that base64 cannot have',
    `${member} is not base64`,
  );

/** Returns the number of equals signs at the end: 2 at most. */
const paddingOf = (text: string): number => (text.endsWith('==') ? 2 : Number(text.endsWith('=')));

/** The decoder skips characters that are not base64, and then returns too few bytes. */
const bytesOf = (base64Chars: number): number => Math.floor((base64Chars * 3) / 4);

/** Whether the decoder would accept a character that is no base64: the URL alphabet, or one past ASCII. */
const hasForeignCharacters = (text: string): boolean =>
  text.includes('-') || text.includes('_') || Buffer.byteLength(text) !== text.length;

/** Decodes base64 in a few native passes over the text: a body may hold 26 MiB of it. */
function decodeBase64(padded: string, maxBytes: number, member: Member): Buffer {
  const text = padded.trimEnd();
  const maxWhitespace = Math.max(MIN_WHITESPACE, text.length / 32);
  const whitespace = countUpTo(text, WHITESPACE, maxWhitespace);
  if (whitespace > maxWhitespace) throw notBase64(member);
  const chars = text.length - whitespace - paddingOf(text);
  if (bytesOf(chars) > maxBytes) throw tooLarge(maxBytes, member);
  if (chars % 4 === 1 || hasForeignCharacters(text)) throw notBase64(member);
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== bytesOf(chars)) throw notBase64(member);
  return bytes;
}

/** `image/jpg` is not a registered type, but it is common. */
const formatOf = (mediaType: string): string =>
  mediaType.replace('image/jpg', 'image/jpeg').slice(6);

/** @throws Problem if a data URL declares a type that is no image, or not that of its bytes */
function checkDeclared(
  declared: string | undefined,
  bytes: Uint8Array,
  sniff: Sniff,
  member: Member,
): void {
  if (declared === undefined) return;
  const format = sniff(bytes);
  if (declared.startsWith('image/') && (!format || formatOf(declared) === format)) return;
  throw fieldProblem(
    'invalid-request',
    `/${member}`,
    format ? `the data is image/${format}` : 'the type must be image/<type>',
    'The type the data URL declares is not the type of its data',
  );
}

/** Decodes an image in a member of a body. @throws Problem invalid-request, payload-too-large */
function readMember(text: unknown, member: Member, maxBytes: number, sniff: Sniff): Uint8Array {
  if (typeof text !== 'string') {
    throw fieldProblem('invalid-request', `/${member}`, 'must be a string');
  }
  const { declared, base64 } = splitDataUrl(text, member);
  const image = decodeBase64(base64, maxBytes, member);
  if (image.length === 0) throw fieldProblem('invalid-request', `/${member}`, 'is empty');
  checkDeclared(declared, image, sniff, member);
  return image;
}

/**
 * Reads a JSON body with the image in one member: raw base64 or a data URL.
 * @throws Problem invalid-request, payload-too-large
 */
export function readJsonImage(
  body: unknown,
  maxBytes: number,
  sniff: Sniff,
  member: ImageMember = 'image_base64',
): ImageForm {
  const members = membersOf(body);
  const { [member]: text, ...fields } = members ?? {};
  if (!members) {
    const detail = `The body must be a JSON object with ${member}, a string`;
    throw fieldProblem('invalid-request', '', 'must be a JSON object', detail);
  }
  const image = text === undefined ? undefined : readMember(text, member, maxBytes, sniff);
  const pointers = { image: `/${member}`, backgroundImage: '/backgroundImageBase64' };
  return { image, fields, pointers, via: 'json' };
}

/**
 * As `readJsonImage`, with a background image in the member `backgroundImageBase64`.
 * @throws Problem as `readJsonImage`
 */
export function readJsonImages(
  body: unknown,
  maxBytes: number,
  sniff: Sniff,
  member: ImageMember,
): ImageForm {
  const { fields: all, ...form } = readJsonImage(body, maxBytes, sniff, member);
  const { backgroundImageBase64: text, ...fields } = all;
  if (text === undefined) return { ...form, fields };
  const backgroundImage = readMember(text, 'backgroundImageBase64', maxBytes, sniff);
  return { ...form, backgroundImage, fields };
}
