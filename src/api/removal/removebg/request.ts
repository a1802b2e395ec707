import type { Form } from '../../../http/form.ts';
import type { CutOutOptions } from '../../../output/quality.ts';
import { cutOutOptionsOf, type OutputRequest, readColor } from '../../../output/request.ts';
import { Problem } from '../../../platform/problem.ts';
import { backgroundOf, type CutOutRequest, type Source } from '../image-requests.ts';
import { type CodedIssue, removebgProblem } from './errors.ts';
import { type Parameters, readParameters } from './parameters.ts';
import { maxMegapixels } from './sizes.ts';

/** A request of remove.bg in our words. */
export interface RemoveBgRequest {
  wish: CutOutRequest;
  /** What `X-Type` says; nothing where it is not wished for. */
  subject: string | undefined;
}

/** The bytes of a JSON member `image_base64`. @throws Problem */
export type ReadImage = (body: object) => Uint8Array | undefined;

const FILES = ['image_file', 'bg_image_file'];

/** Forms of browsers have an empty file where none was chosen. */
const fileOf = ({ files }: Form, name: string): Uint8Array | undefined =>
  files[name]?.length ? files[name] : undefined;

function checkFiles({ files, fields }: Form): void {
  const strangers = Object.keys(files).filter((name) => !FILES.includes(name));
  const texts = FILES.filter((name) => fields[name]);
  const details = [
    ...strangers.map((name) => `${name.slice(0, 40)} is not a file of this form`),
    ...texts.map((name) => `${name} must be a file part`),
  ];
  const coded = (detail: string): CodedIssue => ({
    pointer: '',
    code: 'unknown_parameter',
    detail,
  });
  if (details.length > 0) throw removebgProblem(...details.map(coded));
}

const NAMES = 'image_file, image_file_b64 or image_url';

function decoded(text: string, readImage: ReadImage): Uint8Array | undefined {
  try {
    return readImage({ image_base64: text });
  } catch (error) {
    if (!(error instanceof Problem) || error.type !== 'invalid-request') throw error;
    const detail = 'image_file_b64 is not an image in base64';
    throw removebgProblem({ pointer: '/image_file_b64', code: 'failed_to_read_image', detail });
  }
}

function sourceOf(form: Form, wish: Parameters, readImage: ReadImage): Source {
  const file = fileOf(form, 'image_file');
  const { imageBase64, imageUrl } = wish;
  const sent = [file, imageBase64, imageUrl].filter((source) => source !== undefined);
  if (sent.length > 1) {
    throw removebgProblem({
      pointer: '',
      code: 'multiple_sources',
      detail: `Send one of ${NAMES}`,
    });
  }
  if (imageUrl) return { imageUrl };
  const image = file ?? (imageBase64 && decoded(imageBase64, readImage));
  if (image) return { image };
  throw removebgProblem({
    pointer: '',
    code: 'missing_source',
    detail: `Send the image as ${NAMES}`,
  });
}

type Background = Pick<OutputRequest, 'backgroundColor' | 'backgroundImage' | 'backgroundImageUrl'>;

/** The last two digits of `#rrggbbaa`; what has none is opaque. */
const opacityOf = (color: string): string => readColor(color)?.slice(7) || 'ff';

/** A colour that is wholly transparent is none. */
function groundOf(form: Form, wish: Parameters): Background {
  const { backgroundColor, backgroundImageUrl } = wish;
  const backgroundImage = fileOf(form, 'bg_image_file');
  const sent = [backgroundColor, backgroundImage, backgroundImageUrl];
  if (sent.filter((one) => one !== undefined).length > 1) {
    const detail = 'Send one of bg_color, bg_image_file and bg_image_url';
    throw removebgProblem({ pointer: '', code: 'multiple_bg_sources', detail });
  }
  if (backgroundImage) return { backgroundImage };
  if (backgroundImageUrl) return { backgroundImageUrl };
  return backgroundColor && opacityOf(backgroundColor) !== '00' ? { backgroundColor } : {};
}

/** `auto` is a JPEG where nothing can show through. */
function formatOf({ format, channels }: Parameters, background: Background) {
  if (format !== 'auto') return format;
  const { backgroundColor, backgroundImage, backgroundImageUrl } = background;
  const isCovered = backgroundColor
    ? opacityOf(backgroundColor) === 'ff'
    : backgroundImage !== undefined || backgroundImageUrl !== undefined;
  return isCovered && channels !== 'alpha' ? 'jpeg' : 'png';
}

/** A matte has no colours, and a ZIP holds it already. */
function checkMatte({ channels, format, shadow }: Parameters, background: Background): void {
  const clashes = [
    format === 'zip' && 'format "zip", which holds the matte',
    Object.keys(background).length > 0 && 'a background',
    shadow === 'drop' && 'a shadow',
  ];
  const clash = clashes.find((words) => words !== false);
  if (channels !== 'alpha' || !clash) return;
  const detail = `channels "alpha" makes no sense with ${clash}`;
  throw removebgProblem({ pointer: '/channels', code: 'invalid_channels', detail });
}

/** The wish as options of ours; what has no effect without another parameter is left out, as documented. */
function optionsOf(wish: Parameters, background: Background): CutOutOptions {
  const format = formatOf(wish, background);
  const { crop, cropMargin, shadow, shadowOpacityPct, maxOutputMegapixels: size } = wish;
  const { roi, scale, position, channels, semitransparency } = wish;
  const options = cutOutOptionsOf({
    ...{ channels, roi, scale, position, semitransparency, crop, shadow, ...background },
    format: format === 'zip' ? undefined : format,
    cropMargin: crop ? cropMargin : undefined,
    shadowOpacityPct: shadow === 'drop' ? shadowOpacityPct : undefined,
    maxOutputMegapixels: Math.min(size, maxMegapixels(format === 'png')),
  });
  return format === 'zip' ? { ...options, asZip: true } : options;
}

/**
 * Reads what a form asks for.
 * @throws Problem with remove.bg's codes
 */
export function readRequest(form: Form, readImage: ReadImage): RemoveBgRequest {
  checkFiles(form);
  const wish = readParameters(form.fields);
  const ground = groundOf(form, wish);
  checkMatte(wish, ground);
  const options = optionsOf(wish, ground);
  const source = sourceOf(form, wish, readImage);
  const background = backgroundOf(options, ground.backgroundImage);
  return {
    wish: { source, options, background },
    subject: wish.showSubject ? wish.subject : undefined,
  };
}
