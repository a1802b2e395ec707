import { decodeHTMLStrict } from 'entities';
import type { NoteCode } from './notes.ts';

/** A control character that XML does not allow. */
const CONTROLS = /[^\P{Cc}\t\n\r\u007f-\u009f]|[\ufffe\uffff]/gu;
/** A "<" that begins no markup. */
const BARE = '<(?![/?!\\w:\\u0080-\\uffff])';
/** One of these, a bare "<", or an "&" before anything but XML's own references. */
const IRREGULAR = new RegExp(
  `[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\ufffe\\uffff]|&(?!(?:amp|lt|gt|quot|apos|#[1-9]\\d{1,6}|#x[1-9a-fA-F][\\da-fA-F]{1,5});)|${BARE}`,
);
const PARTS = new RegExp(
  String.raw`<!\[CDATA\[[^]*?\]\]>|<!--[^]*?-->|<\?[^]*?\?>|&(#?\w{1,32};)?|${BARE}|${CONTROLS.source}`,
  'gu',
);
const OWN = /^&(?:amp|lt|gt|quot|apos);$/;

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/**
 * Makes text of XML what a parser accepts where there is only one way to read it: entities of HTML are decoded, a
 * bare ampersand or "<" is one, a control character becomes U+FFFD. Lines stay where they are.
 */
export function regularXml(xml: string, takeNote: (code: NoteCode) => void): string {
  if (!IRREGULAR.test(xml)) return xml;
  function withoutControls(text: string): string {
    if (text.search(CONTROLS) < 0) return text;
    takeNote('control-characters');
    return text.replaceAll(CONTROLS, '\ufffd');
  }
  return xml.replace(PARTS, (part, reference?: string) => {
    if (part === '<') {
      takeNote('bare-ampersands');
      return '&lt;';
    }
    if (part[0] !== '&') return withoutControls(part);
    if (OWN.test(part)) return part;
    const decoded = reference === undefined ? part : decodeHTMLStrict(part);
    if (decoded !== part) {
      if (!part.startsWith('&#')) takeNote('html-entities');
      return escapeText(withoutControls(decoded));
    }
    takeNote('bare-ampersands');
    return `&amp;${part.slice(1)}`;
  });
}
