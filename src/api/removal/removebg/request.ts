import type { Form } from '../../../http/form.ts';
import type { CutOutOptions } from '../../../output/options.ts';
import { type OutputRequest, parseColor, toCutOutOptions } from '../../../output/request.ts';
import { Problem } from '../../../platform/problem.ts';
import { backgroundSource, type CutOutRequest, type Source } from '../image-requests.ts';
import { removebgProblem, requestProblem } from './errors.ts';
import { maxMegapixels, type Parameters, readParameters } from './parameters.ts';

interface RemoveBgRequest {
  cutOut: CutOutRequest;
  /** The value of `X-Type`; undefined if the client does not want it. */
  subject: string | undefined;
}

/** Decodes the JSON member `image_base64`. @throws Problem */
export type ReadImage = (body: object) => Uint8Array | undefined;

const FILE_NAMES = ['image_file', 'bg_image_file'];

/** Returns a file of the form. Browsers send an empty file if none was chosen. */
const chosenFile = ({ files }: Form, name: string): Uint8Array | undefined =>
  files[name]?.length ? files[name] : undefined;

function checkFiles({ files, fields }: Form): void {
  const unknownFiles = Object.keys(files).filter((name) => !FILE_NAMES.includes(name));
  const textFields = FILE_NAMES.filter((name) => fields[name]);
  const details = [
    ...unknownFiles.map(
      (name) => `${name.slice(0, 40)} is not a file of this form; send the image as image_file`,
    ),
    ...textFields.map((name) => `${name} must be a file part`),
  ];
  if (details.length > 0) throw requestProblem('unknown_parameter', ...details);
}

const SOURCE_NAMES = 'image_file, image_file_b64 or image_url';

function decodeImage(text: string, readImage: ReadImage): Uint8Array | undefined {
  try {
    return readImage({ image_base64: text });
  } catch (error) {
    if (!(error instanceof Problem) || error.type !== 'invalid-request') throw error;
    const detail = 'image_file_b64 is not an image in base64';
    throw removebgProblem({ pointer: '/image_file_b64', code: 'failed_to_read_image', detail });
  }
}

function readSource(form: Form, parameters: Parameters, readImage: ReadImage): Source {
  const file = chosenFile(form, 'image_file');
  const { imageBase64, imageUrl } = parameters;
  const sent = [file, imageBase64, imageUrl].filter((source) => source !== undefined);
  if (sent.length > 1) throw requestProblem('multiple_sources', `Send one of ${SOURCE_NAMES}`);
  if (imageUrl) return { imageUrl };
  const image = file ?? (imageBase64 && decodeImage(imageBase64, readImage));
  if (image) return { image };
  throw requestProblem('missing_source', `Send the image as ${SOURCE_NAMES}`);
}

type Background = Pick<OutputRequest, 'backgroundColor' | 'backgroundImage' | 'backgroundImageUrl'>;

/** Returns the last two digits of `#rrggbbaa`; a colour without them is opaque. */
const alphaOf = (color: string): string => parseColor(color)?.slice(7) || 'ff';

/** Reads the background. A fully transparent colour counts as none. */
function readBackground(form: Form, parameters: Parameters): Background {
  const { backgroundColor, backgroundImageUrl } = parameters;
  const backgroundImage = chosenFile(form, 'bg_image_file');
  const sent = [backgroundColor, backgroundImage, backgroundImageUrl];
  if (sent.filter((source) => source !== undefined).length > 1) {
    const detail = 'Send one of bg_color, bg_image_file and bg_image_url';
    throw requestProblem('multiple_bg_sources', detail);
  }
  if (backgroundImage) return { backgroundImage };
  if (backgroundImageUrl) return { backgroundImageUrl };
  return backgroundColor && alphaOf(backgroundColor) !== '00' ? { backgroundColor } : {};
}

/** Resolves format `auto`: a JPEG if no pixel can be transparent, else a PNG. */
function resolveFormat({ format, channels }: Parameters, background: Background) {
  if (format !== 'auto') return format;
  const { backgroundColor, backgroundImage, backgroundImageUrl } = background;
  const isOpaque = backgroundColor
    ? alphaOf(backgroundColor) === 'ff'
    : backgroundImage !== undefined || backgroundImageUrl !== undefined;
  return isOpaque && channels !== 'alpha' ? 'jpeg' : 'png';
}

/** Rejects options that conflict with channels `alpha`: a matte has no colours, and a ZIP already contains it. */
function checkMatte({ channels, format, shadow }: Parameters, background: Background): void {
  const conflicts = [
    format === 'zip' && 'format "zip", which contains the matte',
    Object.keys(background).length > 0 && 'a background',
    shadow === 'drop' && 'a shadow',
  ];
  const conflict = conflicts.find((option) => option !== false);
  if (channels !== 'alpha' || !conflict) return;
  const detail = `channels "alpha" cannot be combined with ${conflict}`;
  throw removebgProblem({ pointer: '/channels', code: 'invalid_channels', detail });
}

/** Converts parameters to our options. Omits those without effect, such as a margin without a crop. */
function toOptions(parameters: Parameters, background: Background): CutOutOptions {
  const format = resolveFormat(parameters, background);
  const { crop, cropMargin, shadow, shadowOpacityPct, maxOutputMegapixels: size } = parameters;
  const { roi, scale, position, channels, semitransparency } = parameters;
  const options = toCutOutOptions({
    channels,
    roi,
    scale,
    position,
    semitransparency,
    crop,
    shadow,
    ...background,
    format: format === 'zip' ? undefined : format,
    cropMargin: crop ? cropMargin : undefined,
    shadowOpacityPct: shadow === 'drop' ? shadowOpacityPct : undefined,
    maxOutputMegapixels: Math.min(size, maxMegapixels(format === 'png')),
  });
  return format === 'zip' ? { ...options, asZip: true } : options;
}

/** @throws Problem with remove.bg codes */
export function readRequest(form: Form, readImage: ReadImage): RemoveBgRequest {
  checkFiles(form);
  const parameters = readParameters(form.fields);
  const background = readBackground(form, parameters);
  checkMatte(parameters, background);
  const options = toOptions(parameters, background);
  return {
    cutOut: {
      source: readSource(form, parameters, readImage),
      options,
      background: backgroundSource(options, background.backgroundImage),
    },
    subject: parameters.showSubject ? parameters.subject : undefined,
  };
}
