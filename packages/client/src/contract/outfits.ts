import type {
  Coverage,
  IndoorTargets,
  PersonFields,
  Plan,
  Targets,
  TargetsRequest,
  TargetsResponse,
} from './targets.ts';
import type { WardrobeItem } from './wardrobe-item.ts';

/* Candidates, scores and outfits. */

/** A wardrobe, and what must and must not be worn from it. */
export interface WardrobeFields {
  /** Up to 1000. */
  items: WardrobeItem[];
  /** Selects among equally good outfits; the same seed returns the same outfits. */
  seed?: number | undefined;
  /** Ids of items to wear, up to 6; the list is empty if no outfit has them all. */
  must?: string[] | undefined;
  /** Ids of items to wear, up to 16; rejected if they cannot be worn together. */
  pin?: string[] | undefined;
  /** Ids of items not to wear. */
  exclude?: string[] | undefined;
  /** Parts of the body that every outfit covers; those of the profile by default. */
  coverage?: Coverage[] | undefined;
  /** A language tag such as `de-AT`; by default what `Accept-Language` prefers, else English. */
  locale?: string | undefined;
}

export interface CandidatesRequest extends TargetsRequest, WardrobeFields {
  /** `indoor` by default. */
  plan?: Plan | undefined;
  /** 1 to 200. */
  limit?: number | undefined;
}

/** `separates` are a top and a bottom; `one-piece` is a dress or the like. */
export type OutfitForm = 'separates' | 'one-piece';

/** Ids of the items worn, by place in the outfit. */
export interface OutfitSlots {
  underTop?: string;
  underBottom?: string;
  main?: string;
  mid?: string;
  outer?: string;
  bottom?: string;
  over?: string;
  socks?: string;
  shoes?: string;
  head?: string;
  neck?: string;
  hands?: string;
  belt?: string;
  tie?: string;
  eyes?: string;
  bag?: string;
}

/** Items worn together. */
export interface Candidate {
  id: string;
  itemIds: string[];
  form: OutfitForm;
  slots: OutfitSlots;
}

/** What every search for outfits returns. */
export interface SearchResponse extends TargetsResponse {
  plan: Plan;
  /** Why the outfits are for this plan, and the activity there, met. */
  place: {
    met: number;
    why: 'plan' | 'occasion' | 'indoor-temperature' | 'default';
    text: string;
  };
  /** The search was cut short. */
  truncated: boolean;
  /** Points that an outfit not found could still gain; 0 if the result is proved optimal. */
  gap: number;
}

export interface CandidatesResponse extends SearchResponse {
  candidates: Candidate[];
  /** How many outfits there are, exactly: a decimal integer of any size. */
  totalValid: string;
}

/** An outfit worn lately; other outfits are preferred. */
export interface RecentOutfit {
  /** 1 to 12. */
  itemIds: string[];
  /** 0 to 3650. */
  daysAgo: number;
}

export interface OutfitsRequest extends TargetsRequest, WardrobeFields {
  /** `indoor` by default. */
  plan?: Plan | undefined;
  /** 1 to 20. */
  limit?: number | undefined;
  /** Instead of `limit`, 2 to 7: any two outfits share at most half of their visible pieces. */
  variety?: number | undefined;
  /** Up to 100. */
  recent?: RecentOutfit[] | undefined;
}

/** Components of a score, each 0 to 1. */
export interface ScoreBreakdown {
  thermal: number;
  regions: number;
  protection: number;
  occasion: number;
  color: number;
  season: number;
  variety: number;
  /** Share of the score lost to rules of common sense and to warmth nobody bears. */
  penalty: number;
}

/** Insulation in a region, clo. */
export interface RegionInsulation {
  clo: number;
  target: number;
}

/** How warm an outfit is. */
export interface ThermalReport {
  plan: Plan;
  /** Clo. */
  icl: number;
  /** Clo. */
  iclTarget: number;
  /** Predicted mean vote (ISO 7730): −3 cold to 3 hot. */
  pmv: number;
  /** The vote that the person prefers. */
  pmvGoal: number;
  deviation: number;
  /** Predicted percentage dissatisfied (ISO 7730). */
  ppd: number;
  /** Share of wet skin, 0 to 1; null if it is not hot. */
  wettedness: number | null;
  /** Hours until the body is too cold (ISO 11079); null if it never is. */
  exposureLimitH: number | null;
  regions: Record<string, RegionInsulation>;
}

/** A reason for a score. */
export interface Explanation {
  code: string;
  text: string;
  params: Record<string, string | number>;
}

/** A garment that may serve as the shell. */
export interface ShellItem {
  itemId: string;
  /** Clo still missing with it. */
  residualClo: number;
  score: number;
}

/** What to put on for outside. */
export interface Shell {
  needed: boolean;
  /** Clo. */
  needClo: number;
  /** Clo. */
  needTotalIcl: number;
  /** 0 to 1. */
  waterResistanceMin: number;
  /** 0 to 1. */
  windResistanceMin: number;
  /** Best first. */
  items: ShellItem[];
  /** Hat, scarf and gloves to wear with the first. */
  addIds: string[];
  reasons: string[];
}

/** How good an outfit is, and why. */
export interface OutfitAssessment {
  /** Points: 0 to 100. */
  score: number;
  breakdown: ScoreBreakdown;
  thermal: ThermalReport;
  warnings: string[];
  explanation: Explanation[];
  shell: Shell | null;
}

export interface Outfit extends Candidate, OutfitAssessment {
  /** From 1: the order of the list. */
  rank: number;
  name: string;
}

export interface OutfitsResponse extends SearchResponse {
  outfits: Outfit[];
  paramsVersion: string;
}

/** A candidate as `candidates` returned it; only these two members are read. */
export interface ScoredCandidate {
  id: string;
  /** 1 to 18. */
  itemIds: string[];
}

export interface ScoreRequest extends PersonFields {
  /** Unchanged, as `candidates` or `targets` returned them. */
  targets: Targets;
  /** Ignored; accepted for convenience. */
  indoorTargets?: IndoorTargets | undefined;
  /** 1 to 200. */
  candidates: ScoredCandidate[];
  /** Up to 1000. */
  items: WardrobeItem[];
  /** That of the targets; only those of `targets` go with either, `indoor` by default. */
  plan?: Plan | undefined;
  /** Up to 100. */
  recent?: RecentOutfit[] | undefined;
  /** A language tag such as `de-AT`; by default what `Accept-Language` prefers, else English. */
  locale?: string | undefined;
}

export interface RankedOutfit extends OutfitAssessment {
  candidateId: string;
  /** From 1. */
  rank: number;
  itemIds: string[];
}

export interface ScoreResponse {
  ranked: RankedOutfit[];
  /** The shell of the first. */
  shell: Shell | null;
  paramsVersion: string;
}
