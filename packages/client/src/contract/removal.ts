import type { Region } from './garment-words.ts';
import type { RulePack, RulesReport } from './rules.ts';

/* Background removal: options and results. */

/** `high` refines edges further and takes longer; `fast` does not refine them and makes a larger file sooner. */
export type Quality = 'fast' | 'balanced' | 'high';

export type ImageFormat = 'png' | 'jpeg' | 'webp';

/** How a cut-out is made and drawn. Every member is optional; only those given are sent. */
export interface CutOutOptions {
  /** `balanced` by default. */
  quality?: Quality | undefined;
  /** `png` by default; a `jpeg` is not transparent and has a white background by default. */
  format?: ImageFormat | undefined;
  /** `rgba` by default; `alpha` returns the matte alone, as an 8-bit grey image. */
  channels?: 'rgba' | 'alpha' | undefined;
  /** `#rgb`, `#rgba`, `#rrggbb`, `#rrggbbaa` or the name of a CSS colour. */
  backgroundColor?: string | undefined;
  /** An image that covers the canvas: http or https, public addresses only, up to 2048 characters. */
  backgroundImageUrl?: string | undefined;
  /** Crops to the bounding box of the subject; `false` by default. */
  crop?: boolean | undefined;
  /**
   * Space around the box, with `crop`: 1, 2 or 4 lengths as in CSS, each up to `500px` or `50%` of
   * the box.
   */
  cropMargin?: string | undefined;
  /** Share of the canvas that the subject fits in: `10%` to `100%`, or `original` (the default). */
  scale?: string | undefined;
  /** `original`, `center`, or one or two of `0%` to `100%` of the space left over. */
  position?: string | undefined;
  /** Region of the input in which the subject is looked for: `x1 y1 x2 y2` in `px` or `%`. */
  roi?: string | undefined;
  /** Larger outputs are scaled down to this size, million pixels: 0.01 to 1000. */
  maxOutputMegapixels?: number | undefined;
  /**
   * `drop` draws a soft shadow below the subject; `keep` keeps the one of the photo, on an even backdrop; `none` by
   * default.
   */
  shadow?: 'none' | 'drop' | 'keep' | undefined;
  /** Opacity of the shadow, percent: 0 to 100; 50 by default. */
  shadowOpacityPct?: number | undefined;
  /** `false` makes everything inside the subject's outline opaque; `true` by default. */
  semitransparency?: boolean | undefined;
  /** Which part of the subject is shown; `all` by default. */
  subject?: Subject | undefined;
  /** Judges the output by this rule pack, such as `amazon-main`. */
  rules?: string | undefined;
  /** With `rules`: makes right what can be made right without inventing pixels; `false` by default. */
  fixRules?: boolean | undefined;
  /** `keep`: an image that is transparent somewhere is not cut out, it keeps its alpha. `replace` by default. */
  alpha?: AlphaMode | undefined;
  /** The name of a preset: its options apply where none are given. */
  preset?: string | undefined;
}

/** What happens to the alpha that an image brings. */
export type AlphaMode = 'replace' | 'keep';

/** All of the subject; the people; what they wear, without skin and hair; or the garments of one region. */
export type Subject = 'all' | 'person' | 'garment' | Region;

/** A stroke of a round brush over a cut-out. */
export interface Stroke {
  /** `add`: what is under it is subject; `erase`: it is background. */
  mode: 'add' | 'erase';
  /** Of the brush, pixels: 0.5 to 2000. */
  radius: number;
  /** The corners of its path, in pixels of the upright image; one alone is a dot. */
  points: [x: number, y: number][];
}

/** How a mended cut-out is drawn. */
export type RefinementOptions = Omit<
  CutOutOptions,
  'alpha' | 'preset' | 'roi' | 'backgroundImageUrl' | 'subject'
>;

/** The options in effect, as the service reports them; options at their defaults are left out. */
export interface AppliedCutOutOptions {
  quality?: Quality;
  format?: 'jpeg' | 'webp';
  asZip?: true;
  channels?: 'alpha';
  backgroundColor?: string;
  backgroundImageUrl?: string;
  backgroundImageSha256?: string;
  crop?: true;
  cropMargin?: string;
  scale?: string;
  position?: string;
  roi?: string;
  maxOutputMegapixels?: number;
  shadow?: 'drop' | 'keep';
  shadowOpacityPct?: number;
  semitransparency?: false;
  subject?: Exclude<Subject, 'all'>;
  rules?: string;
  fixRules?: true;
  /** The pack as it was when the work was accepted. */
  rulePack?: RulePack;
  alpha?: 'keep';
}

/** A rectangle in pixels, from the top left corner. */
export interface Rectangle {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Whether a person should look at a cut-out, and why. */
export interface CutOutReview {
  needed: boolean;
  /**
   * What was noticed: `low-confidence`, `gap-unsure`, `hole-in-subject`, `ground-in-gap`, `several-subjects`, `subject-too-small`, `blurred`,
   * `same-colour-as-background`, `cut-by-frame`, `damaged`, `rule:` with the id of a rule; more may be added. Some of them ask for no look on their own.
   */
  reasons: string[];
}

/** A finished cut-out. */
export interface CutOut {
  /** Path of the image on the service. */
  url: string;
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
  bytes: number;
  mediaType: 'image/png' | 'image/jpeg' | 'image/webp' | 'application/zip';
  /** Bounding box of the subject in the output; absent if no subject was found. */
  foreground?: Rectangle;
  /** Hexadecimal. */
  sha256: string;
  /** `id@version`. */
  model: string;
  /** Likelihood that the mask is right, 0 to 1. */
  confidence: number;
  /** Absent from cut-outs that older releases made. */
  review?: CutOutReview;
  /** Of what is cut out; likewise. Alike for copies of a picture. */
  fingerprint?: string;
  /** Only if the options have rules. */
  rules?: RulesReport;
  /** The image kept its own alpha; absent if it was cut out. */
  alpha?: 'kept';
}

/** Why work failed. */
export interface ProblemSummary {
  /** A problem type, such as `unprocessable-image`. */
  type: string;
  title: string;
  /** The HTTP status that a synchronous request would have had. */
  status: number;
  detail: string;
}

/** The image that was processed. */
export interface InputImage {
  /** Hexadecimal. */
  sha256: string;
  bytes: number;
  /** Pixels, upright. */
  width: number;
  /** Pixels, upright. */
  height: number;
}
