/** What of a feed was read although it is not written as it should be: a sentence for the retailer. */
const NOTES = {
  compressed: 'The feed is compressed; its export is not',
  namespace: "Google's namespace is missing or written in another way",
  'undeclared-prefix': 'A namespace prefix is not declared',
  'text-before': 'There is text before the document',
  'text-after': 'There is text after the document',
  'html-entities': 'Entities of HTML, which XML does not have, are read as in HTML',
  'bare-ampersands': 'An "&" or "<" is not written as "&amp;" or "&lt;"',
  'control-characters': 'Control characters, which XML does not allow, are read as unknown ones',
  'windows-1252':
    'The text is not UTF-8 and no other encoding is given: it is read as Windows-1252',
  'guessed-encoding':
    'The text is not UTF-8 and no other encoding is given: it is read in one in which its header is known',
  'carriage-returns': 'Lines end with a carriage return alone',
  'separator-line': 'The first line names the delimiter',
  'short-rows': 'Rows end before the last column: the missing cells are empty',
  'extra-delimiters': 'Rows end with more delimiters than the header',
  'spaces-around-quotes': 'There are spaces around quoted cells',
  'unquoted-links': 'Links have the delimiter in them and no quotes around them',
  'keyed-rows': 'The rows are the values of an object: its key is the id of a row without one',
  'other-lists': 'The JSON has other lists, which are not read',
  'wrapped-rows': 'Each line is a list of rows, not one row',
  'link-lists': 'The image column has several links: the first is the image',
  'protocol-less-links': 'Links without http or https are read with https',
} as const;

export type NoteCode = keyof typeof NOTES;

/** Takes note of something at a line, from 1. */
export type TakeNote = (code: NoteCode, line: number) => void;

interface FeedNote {
  code: NoteCode;
  detail: string;
  /** The first line that has it, from 1. */
  line: number;
  /** How often it was seen. */
  count: number;
}

/** Counts the notes of a feed by kind. */
export class FeedNotes {
  readonly #notes = new Map<NoteCode, FeedNote>();

  readonly take: TakeNote = (code, line) => {
    const found = this.#notes.get(code);
    if (found) found.count += 1;
    else this.#notes.set(code, { code, detail: NOTES[code], line, count: 1 });
  };

  list(): FeedNote[] {
    return [...this.#notes.values()];
  }
}
