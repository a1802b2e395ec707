import { callJson } from './api.js';

/** Scopes of the key, and the parts of `/intake` that it may use. @type {ReadonlySet<string>} */
let rights = new Set();

/** Reads what the key may do. */
export async function readRights() {
  const { scopes, intake } = await callJson('/intake/v1/usage');
  rights = new Set([...scopes, ...intake]);
}

/** Whether the key has all of these rights. @param {readonly string[]} [needed] */
export const may = (needed = []) => needed.every((right) => rights.has(right));
