import type { Readable } from 'node:stream';
import { fieldProblem, type Problem, type ProblemType } from '../platform/problem.ts';
import { decodeBase64 } from './base64.ts';
import { membersOf, parseJson } from './json-body.ts';

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
 * A form's parts in JSON, which come with the type `application/json` or, as a browser sends a Blob, with a
 * file name.
 */
export class JsonParts {
  #totalBytes = 0;

  /** @throws Problem invalid-request, payload-too-large */
  async read({ fieldname, file }: Part & { type: 'file' }): Promise<unknown> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of file) {
      bytes += chunk.length;
      this.#totalBytes += chunk.length;
      if (bytes > MAX_TEXT_PART_BYTES || this.#totalBytes > MAX_JSON_PARTS_BYTES) {
        throw partTooLong(fieldname);
      }
      chunks.push(chunk);
    }
    return parseJson(Buffer.concat(chunks).toString(), printable(fieldname));
  }
}

/** Whether a part declares that it is JSON. */
export const isJson = ({ mimetype = '' }: Part & { type: 'file' }): boolean =>
  mimetype.startsWith(JSON_MEDIA_TYPE);

const partTooLong = (name: string): Problem =>
  partProblem('payload-too-large', name, 'is too long');

/** The names of file parts with images. */
export type ImagePartName = 'image' | 'backgroundImage';

export const partProblem = (type: ProblemType, name: string, error: string, advice = ''): Problem =>
  fieldProblem(
    type,
    `/${printable(name)}`,
    error,
    `The part "${printable(name)}" ${error}${advice && `; ${advice}`}`,
  );

/** Parts with these names are files, whether or not they have a file name. */
const IMAGE_PARTS: readonly string[] = ['image', 'backgroundImage'] satisfies ImagePartName[];

/** Whether a part is read as a file: also JSON, which the parser would parse at once, however long it is. */
export const isFilePart = (name: string | undefined, mediaType = '', fileName?: string): boolean =>
  fileName !== undefined ||
  IMAGE_PARTS.includes(name ?? '') ||
  /^(image\/|application\/(octet-stream|json))/.test(mediaType);

async function readFile(
  part: Part & { type: 'file' },
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const bytes = await collect(part.file, maxBytes, part.fieldname);
  if (bytes.length > 0) return bytes;
  if (part.fieldname === 'backgroundImage' && !part.filename) return undefined;
  throw partProblem('invalid-request', part.fieldname, 'is empty');
}

/** The fields of a form. One that is a list may be sent several times, also with the name `list[]`. */
class Fields {
  readonly all: Record<string, unknown> = Object.create(null);
  readonly #lists: readonly string[];

  constructor(lists: readonly string[]) {
    this.#lists = lists;
  }

  /** @throws Problem if the field is sent twice */
  add(sentName: string, value: unknown): void {
    const isList = this.#lists.includes(sentName.replace(/\[\]$/, ''));
    const name = isList ? sentName.replace(/\[\]$/, '') : sentName;
    if (!(name in this.all)) this.all[name] = value;
    else if (isList) this.all[name] = `${this.all[name]},${value}`;
    else throw sentTwice(name);
  }
}

const sentTwice = (name: string): Problem =>
  partProblem('invalid-request', name, 'is sent twice', 'send one per request');

/**
 * Reads a multipart form: at most one file part of each name, and parts of text and JSON.
 * @param maxBytes the parser's limit of a file, for the error's text
 * @param files the names of the accepted file parts
 * @throws Problem invalid-request, payload-too-large
 */
export async function readMultipart(
  parts: AsyncIterable<Part>,
  maxBytes: number,
  files: readonly ImagePartName[] = ['image'],
  { jsonParts: named = [], lists = [] }: Pick<ImageFormOptions, 'jsonParts' | 'lists'> = {},
): Promise<ImageForm> {
  const jsonParts = new JsonParts();
  const found: Partial<Record<ImagePartName, Uint8Array | undefined>> = {};
  const fields = new Fields(lists);
  for await (const part of parts) {
    if (part.type === 'field') {
      if (part.valueTruncated) throw partTooLong(part.fieldname);
      fields.add(part.fieldname, part.value);
      continue;
    }
    const name = files.find((file) => file === part.fieldname);
    if (name && !found[name]) {
      found[name] = await readFile(part, maxBytes);
      continue;
    }
    if (!name && (isJson(part) || named.includes(part.fieldname))) {
      fields.add(part.fieldname, await jsonParts.read(part));
      continue;
    }
    part.file.resume();
    throw name
      ? sentTwice(name)
      : fieldProblem(
          'invalid-request',
          `/${printable(part.fieldname)}`,
          'is not known here',
          `"${printable(part.fieldname)}" is not a part of this form; the file part is "${files.join('" or "')}"`,
        );
  }
  const pointers = { image: '/image', backgroundImage: '/backgroundImage' };
  const { image, backgroundImage } = found;
  return { image, backgroundImage, fields: fields.all, pointers, via: 'multipart' };
}

/** Returns a name chosen by a client in a form that is safe in a response. */
export const printable = (name: string): string => name.replaceAll(/[^\w.[\]-]/g, '?').slice(0, 40);

type ImageMember = 'image_base64' | 'imageBase64';

/** Each is read in the place of the other. */
const SPELLINGS = { image_base64: 'imageBase64', imageBase64: 'image_base64' } as const;

export interface ImageFormOptions {
  /** The JSON member with the image, by default `image_base64`. */
  member?: ImageMember;
  /** The names of parts that are JSON, even with a file name. */
  jsonParts?: readonly string[];
  /** The names of text parts that are lists: each may be sent several times. */
  lists?: readonly string[];
  /** Accepts the file part `backgroundImage` or the member `backgroundImageBase64` too. */
  background?: boolean;
}

/** Decodes an image in a member of a body. @throws Problem invalid-request, payload-too-large */
function readMember(text: unknown, member: string, maxBytes: number): Uint8Array {
  if (typeof text !== 'string') {
    throw fieldProblem('invalid-request', `/${member}`, 'must be a string');
  }
  const image = decodeBase64(text, maxBytes, member);
  if (image.length === 0) throw fieldProblem('invalid-request', `/${member}`, 'is empty');
  return image;
}

/**
 * Reads a JSON body with the image in one member: raw base64 or a data URL.
 * @param background whether the member `backgroundImageBase64` has another
 * @throws Problem invalid-request, payload-too-large
 */
export function readJsonImage(
  body: unknown,
  maxBytes: number,
  member: ImageMember = 'image_base64',
  background = false,
): ImageForm {
  const members = membersOf(body);
  const name =
    members?.[member] == null && members?.[SPELLINGS[member]] ? SPELLINGS[member] : member;
  const { [name]: text, ...fields } = members ?? {};
  if (!members) {
    const detail = `The body must be a JSON object with ${member}, a string`;
    throw fieldProblem('invalid-request', '', 'must be a JSON object', detail);
  }
  const image = text == null ? undefined : readMember(text, name, maxBytes);
  const pointers = { image: `/${name}`, backgroundImage: '/backgroundImageBase64' };
  const { backgroundImageBase64: behind, ...others } = fields;
  if (!background || behind == null) {
    return { image, fields: background ? others : fields, pointers, via: 'json' };
  }
  const backgroundImage = readMember(behind, 'backgroundImageBase64', maxBytes);
  return { image, backgroundImage, fields: others, pointers, via: 'json' };
}
