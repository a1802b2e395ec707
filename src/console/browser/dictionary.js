import { callJson } from './api.js';

/**
 * @typedef {{id: string, label: string}} Term
 * @typedef {{categories: Term[], labelOf: (id: string) => string}} Dictionary
 */

/** @type {Promise<Dictionary> | undefined} */
let reading;

async function read() {
  const sections = await callJson('/taxonomy/v1/options?sections=categories,colours');
  /** @type {Term[]} */
  const terms = [...sections.groups, ...sections.colours];
  const labels = new Map(terms.map(({ id, label }) => [id, label]));
  return {
    categories: sections.categories,
    labelOf: (/** @type {string} */ id) => labels.get(id) ?? id,
  };
}

/** Reads the words of the garment dictionary once: all categories, and what groups and colours are called. */
export function readDictionary() {
  reading ??= read().catch((error) => {
    reading = undefined;
    throw error;
  });
  return reading;
}
