import type { Readable } from 'node:stream';
import { Problem } from '../platform/problem.ts';
import { membersOf } from './json-body.ts';

/** What came with a request that carries an image: its bytes, and the other fields as text. */
export interface ImageForm {
  /** The image as sent, or nothing where the form holds none. */
  image: Uint8Array | undefined;
  /** What goes behind the subject, where the form takes that and has it. */
  backgroundImage?: Uint8Array | undefined;
  /** Text parts (multipart) or the other members of the JSON body. */
  fields: Readonly<Record<string, unknown>>;
  via: 'multipart' | 'json';
}

/** The parts of a multipart body, as the multipart parser gives them. */
export type Part =
  | { type: 'file'; fieldname: string; file: Readable & { truncated: boolean } }
  | { type: 'field'; fieldname: string; value: unknown; valueTruncated: boolean };

const tooLarge = (maxBytes: number): Problem =>
  new Problem(
    'payload-too-large',
    `The image is larger than ${maxBytes} bytes; send a smaller or more compressed one`,
  );

/** The bytes of a file part. @throws Problem payload-too-large */
export async function collect(
  file: Readable & { truncated: boolean },
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of file) chunks.push(chunk);
  if (file.truncated) throw tooLarge(maxBytes);
  return Buffer.concat(chunks);
}

/** How the file parts of a form may be called. */
export type FileName = 'image' | 'backgroundImage';

/** @throws Problem where a field cannot be kept as text */
function checkField(
  { fieldname, valueTruncated }: Part & { type: 'field' },
  files: readonly FileName[],
): void {
  if (files.some((name) => name === fieldname)) {
    throw new Problem('invalid-request', `Send "${fieldname}" as a file part, with a file name`, {
      errors: [{ pointer: `/${fieldname}`, detail: 'must be a file part' }],
    });
  }
  if (!valueTruncated) return;
  throw new Problem('payload-too-large', `The part "${printable(fieldname)}" is too long`);
}

async function readFile(part: Part & { type: 'file' }, maxBytes: number): Promise<Uint8Array> {
  const bytes = await collect(part.file, maxBytes);
  if (bytes.length > 0) return bytes;
  throw new Problem('invalid-request', `The "${printable(part.fieldname)}" part is empty`);
}

/**
 * Reads a multipart form: at most one file part of each name, and text parts.
 * @param maxBytes the ceiling the parser was told, for the answer's words
 * @param files the names of the file parts that are taken
 * @throws Problem invalid-request, payload-too-large
 */
export async function readMultipart(
  parts: AsyncIterable<Part>,
  maxBytes: number,
  files: readonly FileName[] = ['image'],
): Promise<ImageForm> {
  const found: Partial<Record<FileName, Uint8Array>> = {};
  const fields: Record<string, unknown> = Object.create(null);
  for await (const part of parts) {
    if (part.type === 'field') {
      if (part.value === '' && part.fieldname === 'backgroundImage') continue; // not chosen
      checkField(part, files);
      fields[part.fieldname] = part.value;
      continue;
    }
    const name = files.find((file) => file === part.fieldname);
    if (name && !found[name]) {
      found[name] = await readFile(part, maxBytes);
      continue;
    }
    part.file.resume();
    throw new Problem(
      'invalid-request',
      name
        ? `There are two "${name}" parts; send one a request`
        : `"${printable(part.fieldname)}" is not a part of this form; the file part is "${files.join('" or "')}"`,
    );
  }
  return { image: undefined, ...found, fields, via: 'multipart' };
}

/** A name that a client chose, fit for an answer. */
export const printable = (name: string): string => name.replaceAll(/[^\w.-]/g, '?').slice(0, 40);

/** How the image is called in a JSON body. */
export type ImageMember = 'image_base64' | 'imageBase64';
type Member = ImageMember | 'backgroundImageBase64';

/** What an image form may hold besides text. */
export interface FormTakes {
  member?: ImageMember;
  /** Also the file part `backgroundImage`, or the member `backgroundImageBase64`. */
  background?: boolean;
}

const DATA_URL = /^data:([^;,]{0,100});base64,/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** A data URL's media type and its base64, or plain base64 with no type. */
function splitDataUrl(
  text: string,
  member: Member,
): { declared: string | undefined; base64: string } {
  if (!text.startsWith('data:')) return { declared: undefined, base64: text };
  const match = DATA_URL.exec(text);
  if (!match) {
    throw new Problem(
      'invalid-request',
      'A data URL must have the form data:image/<type>;base64,<data>',
      {
        errors: [
          { pointer: `/${member}`, detail: 'not of the form data:image/<type>;base64,<data>' },
        ],
      },
    );
  }
  return { declared: match[1]!.toLowerCase(), base64: text.slice(match[0].length) };
}

function decodeBase64(text: string, maxBytes: number, member: Member): Buffer {
  const base64 = /\s/.test(text) ? text.replaceAll(/\s+/g, '') : text;
  if (base64.length > Math.ceil(maxBytes / 3) * 4) throw tooLarge(maxBytes);
  // Searched for only where nothing but the end can have them: among many it would take for ever.
  const isBase64 = BASE64.test(base64) && base64.replace(/=+$/, '').length % 4 !== 1;
  if (!isBase64) {
    throw new Problem('invalid-request', `${member} is not base64`, {
      errors: [
        { pointer: `/${member}`, detail: 'has characters or a length that base64 never has' },
      ],
    });
  }
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

/** `image/jpg` is not a registered type, yet half the world writes it. */
const formatOf = (mediaType: string): string =>
  mediaType.replace('image/jpg', 'image/jpeg').slice(6);

/** Refuses a data URL whose declared type is no image, or not the one the bytes show. */
function checkDeclared(
  declared: string | undefined,
  bytes: Uint8Array,
  sniff: (bytes: Uint8Array) => string | undefined,
  member: Member,
): void {
  if (declared === undefined) return;
  const format = sniff(bytes);
  if (declared.startsWith('image/') && (!format || formatOf(declared) === format)) return;
  throw new Problem('invalid-request', 'The data URL declares another type than its data has', {
    errors: [
      {
        pointer: `/${member}`,
        detail: format ? `the data is image/${format}` : 'the type must be image/<type>',
      },
    ],
  });
}

type Sniff = (bytes: Uint8Array) => string | undefined;

/** An image that is a member of a body. @throws Problem invalid-request, payload-too-large */
function readMember(text: string, member: Member, maxBytes: number, sniff: Sniff): Uint8Array {
  const { declared, base64 } = splitDataUrl(text, member);
  const image = decodeBase64(base64, maxBytes, member);
  if (image.length === 0) throw new Problem('invalid-request', `${member} is empty`);
  checkDeclared(declared, image, sniff, member);
  return image;
}

/**
 * Reads a JSON body whose image is one member: raw base64, or a data URL.
 * @param sniff first bytes -> format name, such as `jpeg`
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
  if (!members || (text !== undefined && typeof text !== 'string')) {
    throw new Problem('invalid-request', `The body must be a JSON object with ${member}, a string`);
  }
  const image = text === undefined ? undefined : readMember(text, member, maxBytes, sniff);
  return { image, fields, via: 'json' };
}

/**
 * The same with what goes behind the subject, in the member `backgroundImageBase64`.
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
  if (typeof text !== 'string') {
    throw new Problem('invalid-request', 'backgroundImageBase64 must be a string', {
      errors: [{ pointer: '/backgroundImageBase64', detail: 'must be a string' }],
    });
  }
  const backgroundImage = readMember(text, 'backgroundImageBase64', maxBytes, sniff);
  return { ...form, backgroundImage, fields };
}
