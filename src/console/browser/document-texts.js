import { byId, h } from './element.js';
import { LANGUAGES, language, STORED, textOf } from './texts.js';

/** What of an element its text is, by the attribute that names the text. */
const PLACES = { 'data-text': '', 'data-label': 'aria-label', 'data-hint': 'placeholder' };

/** Writes the texts into the document, and lets the language be chosen. */
export function translateDocument() {
  document.documentElement.lang = language;
  for (const [attribute, place] of Object.entries(PLACES)) {
    for (const node of document.querySelectorAll(`[${attribute}]`)) {
      const text = textOf(node.getAttribute(attribute) ?? '') ?? '';
      if (place) node.setAttribute(place, text);
      else node.append(...text.split('`').map((part, i) => (i % 2 ? h('code', part) : part)));
    }
  }
  const choice = byId('language', HTMLSelectElement);
  choice.append(
    ...LANGUAGES.map((tag) =>
      h(
        'option',
        { value: tag, lang: tag, selected: tag === language },
        new Intl.DisplayNames([tag], { type: 'language' }).of(tag),
      ),
    ),
  );
  choice.addEventListener('change', () => {
    localStorage.setItem(STORED, choice.value);
    location.reload();
  });
}
