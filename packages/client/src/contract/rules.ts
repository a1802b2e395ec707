/* Rule packs: what marketplaces want of a picture. */

/** A range of which at least one end is given. */
export interface RuleRange {
  min?: number | undefined;
  max?: number | undefined;
}

/** The rules of a pack; an absent one is not judged. */
export interface PictureRules {
  /** The colour behind the subject, and by how much a channel may differ, 0 to 32. */
  background?: { color: string; tolerance?: number | undefined } | undefined;
  border?: false | undefined;
  /** Text, logos and watermarks beside the subject. */
  overlay?: false | undefined;
  /** The old background along the outline. */
  fringe?: false | undefined;
  'cut-by-frame'?: false | undefined;
  /** Of the width or height that the subject takes, whichever is more, 0 to 1. */
  'fill-ratio'?: RuleRange | undefined;
  /** On each side, as a share of its axis: 0 to 0.45. */
  margin?: { min: number } | undefined;
  /** Width divided by height. */
  aspect?: RuleRange | undefined;
  /** Pixels. */
  'longest-side'?: RuleRange | undefined;
  /** Pixels. */
  'shortest-side'?: RuleRange | undefined;
  megapixels?: { max: number } | undefined;
  'file-type'?: ('image/jpeg' | 'image/png' | 'image/webp')[] | undefined;
  'file-bytes'?: { max: number } | undefined;
}

/** Rules that pictures are judged by. */
export interface RulePack {
  title: string;
  /** Where the rules were read, and on which day. */
  sources?: { url: string; checkedOn: string }[] | undefined;
  rules: PictureRules;
}

/** A pack that is built in, or the client's own. */
export interface NamedRulePack {
  name: string;
  /** Of the content: equal packs have equal versions. */
  version: string;
  builtIn: boolean;
  /** Of own packs. */
  changedAt?: string;
  pack: RulePack;
  links: { self: string };
}

export interface RulePackList {
  rules: NamedRulePack[];
}

/** What a rule says about a picture. */
export interface RuleVerdict {
  /** Such as `fill-ratio`; more may be added. */
  id: string;
  passed: boolean;
  /** Absent if it cannot be told; then the rule passes. */
  measured?: number | string;
  limit: { min?: number; max?: number; oneOf?: string[] };
  /** What to do; only if it failed. */
  advice?: string;
}

/** A picture, judged by a pack. */
export interface RulesReport {
  pack: string;
  version: string;
  passed: boolean;
  verdicts: RuleVerdict[];
}
