import { dictionary } from '../dictionary/schema.ts';
import { NO_GARMENT } from './contradictions.ts';
import type { Naming } from './features.ts';
import { type Field, type RowText, type TextMatch, toTextMatch } from './fields.ts';
import { type ArticleMention, type TextKind, weighMentions } from './heads.ts';
import { otherWearer } from './open-names.ts';
import { categoryOfSet } from './pieces.ts';
import { ambiguousCategories, defaultOf, refine } from './refine.ts';
import type { Hints } from './text-attributes.ts';

/** How much a column's names count, also if neither title nor product type names an article, and how it is read. */
// biome-ignore format: a table reads best aligned
const COLUMNS: Readonly<Record<Field['name'], { weight: number; alone: number; kind: TextKind }>> = {
  title:                   { weight: 1,    alone: 1,    kind: 'title' },
  product_type:            { weight: 0.75, alone: 0.75, kind: 'path' },
  google_product_category: { weight: 0.5,  alone: 0.75, kind: 'path' },
  description:             { weight: 0.3,  alone: 0.7,  kind: 'description' },
};
/** In a description, only the first mentions are likely to be the article. */
const MAX_DESCRIPTION_MENTIONS = 2;

/** A mention of this weight says what the article is. */
const MIN_NAMING_WEIGHT = 0.8;

/** More articles than this are a list of keywords. */
const MAX_PIECES = 5;
/** Factor on the votes for the pieces of a set, beside the one that it is called by. */
const PIECE_FACTOR = { named: 0.7, listed: 0.9 } as const;
/** Factor on the votes for the garment of a pet or a doll. */
const OTHER_WEARER_FACTOR = 0.3;

const members = new Map(
  dictionary.categoryGroups.map(({ id }) => [
    id,
    dictionary.categories.filter(({ parentId }) => parentId === id).map((category) => category.id),
  ]),
);

/** A word's vote for some categories, or for none. */
export interface Vote {
  /** Empty if the word names something other than a garment. */
  ids: readonly string[];
  /** The one of `ids` that a group's name most often stands for. */
  favourite: string | undefined;
  weight: number;
  /** The word, and the one that refined its category. */
  matches: readonly TextMatch[];
  naming: Naming;
}

function toVote(naming: Naming, column: number, hints: Hints): Vote {
  const { field, mention } = naming;
  const { kind, id } = mention.match.entry;
  const own = toTextMatch(field, mention.match);
  const vote = { weight: mention.weight * column, favourite: undefined, matches: [own], naming };
  if (kind !== 'garment' && kind !== 'group') return { ...vote, ids: [] };
  const [needed, refined] = refine(kind, id, hints) ?? [];
  if (needed && refined) {
    return {
      ...vote,
      ids: [refined],
      matches: [own, ...needed.flatMap((hint) => hints.get(hint) ?? [])],
      naming: { ...naming, isRefined: true },
    };
  }
  if (kind === 'group') return { ...vote, ids: members.get(id) ?? [], favourite: defaultOf(id) };
  const words = field.tokens.slice(mention.match.first, mention.match.last + 1);
  const name = `${field.locale} ${words.map(({ text }) => text).join(' ')}`;
  const ids = ambiguousCategories(name);
  if (!ids) return { ...vote, ids: [id] };
  return { ...vote, ids, favourite: defaultOf(name), naming: { ...naming, isAmbiguous: true } };
}

/** Returns the mentions of a column; of a description, only the first. */
function mentionsIn(field: Field): ArticleMention[] {
  const mentions = weighMentions(field, COLUMNS[field.name].kind);
  const named = mentions.filter(({ weight }) => weight > 0);
  return field.name === 'description' ? named.slice(0, MAX_DESCRIPTION_MENTIONS) : named;
}

/** Returns the votes of all columns' nouns. */
export function collectVotes({ fields }: RowText, hints: Hints): Vote[] {
  const columns = fields.map((field) => ({ field, mentions: mentionsIn(field) }));
  const isNamed = columns.some(
    ({ field: { name }, mentions }) =>
      (name === 'title' || name === 'product_type') && mentions.length > 0,
  );
  return columns.flatMap(({ field, mentions }) => {
    const { weight, alone } = COLUMNS[field.name];
    return mentions.map((mention) =>
      toVote({ field, mention, mentions, isRefined: false }, isNamed ? weight : alone, hints),
    );
  });
}

export const isIn = (name: Field['name']) => (vote: Vote) => vote.naming.field.name === name;

const isPiece = ({ ids, weight, naming }: Vote): boolean =>
  ids.length > 0 &&
  naming.field.name === 'title' &&
  naming.mention.role === undefined &&
  weight >= MIN_NAMING_WEIGHT;

/** Returns the categories that a title names side by side: "top and skirt". */
export function piecesOf(votes: readonly Vote[]): string[] {
  const titled = votes.filter(isPiece).map(({ ids, favourite }) => favourite ?? ids[0] ?? '');
  const distinct = [...new Set(titled)].slice(0, MAX_PIECES);
  return distinct.length > 1 ? distinct : [];
}

/** Lets the category of a set lead its pieces. */
export function withSet(votes: readonly Vote[], pieces: readonly string[]): readonly Vote[] {
  const set = categoryOfSet(pieces);
  const first = votes.find(isPiece);
  if (set === undefined || !first) return votes;
  const factor = set === pieces[0] ? PIECE_FACTOR.listed : PIECE_FACTOR.named;
  const rest = votes.map((vote) =>
    isPiece(vote) && !vote.ids.includes(set) ? { ...vote, weight: vote.weight * factor } : vote,
  );
  return pieces.includes(set) ? rest : [{ ...first, ids: [set], favourite: undefined }, ...rest];
}

/** An animal's or a doll's wear is no garment. */
export function withWearer(votes: readonly Vote[]): readonly Vote[] {
  const title = votes.find(isIn('title'));
  const thing = title && otherWearer(title.naming.field);
  if (!title || !thing) return votes;
  const { naming } = title;
  const match = { ...naming.mention.match, entry: { kind: 'notGarment' as const, id: thing } };
  const mention = { ...naming.mention, match };
  return [
    { ...title, ids: [], favourite: undefined, weight: 1, naming: { ...naming, mention } },
    ...votes.map((vote) =>
      isIn('title')(vote) ? { ...vote, weight: vote.weight * OTHER_WEARER_FACTOR } : vote,
    ),
  ];
}

/** Everything that a column's nouns may name. */
export const namedIn = (votes: readonly Vote[], name: Field['name']): string[] =>
  votes
    .filter(isIn(name))
    .filter(({ naming }) => naming.mention.weight >= MIN_NAMING_WEIGHT)
    .flatMap(({ ids }) => (ids.length > 0 ? ids : [NO_GARMENT]));
