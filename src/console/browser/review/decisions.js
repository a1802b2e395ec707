import { ApiError, callJson } from '../api.js';
import { say } from '../texts.js';

/** @typedef {import('./rows.js').Decision} Decision @typedef {import('./rows.js').Row} Row */

/** @param {{decision: Decision, decidedBy?: {keyId: string}, note?: string}} present */
const conflictText = ({ decision, decidedBy, note }) => {
  const said = [
    say(`conflict.${decision}`),
    note && say('decision.note', { note }),
    decidedBy && say('decision.key', { key: decidedBy.keyId }),
  ];
  return `${said.filter((text) => text).join(', ')}. ${say('conflict.unchanged')}`;
};

/** What a row has no more when somebody has to decide about it anew. */
const ANEW = {
  note: undefined,
  category: undefined,
  source: undefined,
  decidedAt: undefined,
  decidedBy: undefined,
  refinements: undefined,
};

/**
 * Decides about rows, one request after the other; the page shows a decision before it is stored.
 * @param {import('./rows.js').Rows} rows
 * @param {{onConflict: (text: string, index: number) => void, onError: (error: unknown) => void}} listeners
 */
export function createDecisions(rows, { onConflict, onError }) {
  /** @type {{index: number, takeBack: () => Promise<boolean>}[]} what was done, and whether taking it back succeeds */
  const done = [];
  let queue = Promise.resolve();

  /** @param {number} index @param {Row} before @param {unknown} error */
  async function takeBack(index, before, error) {
    const present = error instanceof ApiError ? error.present : undefined;
    if (!present) {
      rows.change(index, { ...before, isSaving: false });
      return onError(error);
    }
    const { revision, decision, decidedAt, decidedBy, note, category } = present;
    rows.change(index, {
      ...{ revision, decision, decidedAt, decidedBy, note, category },
      isSaving: false,
    });
    onConflict(conflictText(present), index);
    await rows.readCounts().catch(onError);
  }

  /**
   * @param {number} index
   * @param {Decision} decision
   * @param {string} [note]
   * @param {string} [category] by default that which it has; none if it is empty
   * @returns {Promise<boolean>} whether it was stored
   */
  async function send(index, decision, note, category) {
    const before = rows.get(index);
    if (!before) return false;
    const kept = (category ?? before.category) || undefined;
    rows.change(index, { decision, note, category: kept, isSaving: true });
    if (before.needed) rows.count(before.decision, decision);
    const { revision } = before;
    const json = { decision, revision, ...(note && { note }), ...(kept && { category: kept }) };
    try {
      const row = await callJson(before.links.self, { method: 'POST', json });
      rows.change(index, { ...ANEW, ...row, isSaving: false });
      return true;
    } catch (error) {
      if (before.needed) rows.count(decision, before.decision);
      await takeBack(index, before, error);
      return false;
    }
  }

  /** @param {number} index */
  async function unmend(index) {
    const row = rows.get(index);
    if (!row?.refinements) return false;
    const version = `${row.links.self}/refinements/${row.refinements}?revision=${row.revision}`;
    try {
      rows.change(index, { ...ANEW, ...(await callJson(version, { method: 'DELETE' })) });
      await rows.readCounts();
      return true;
    } catch (error) {
      await takeBack(index, row, error);
      return false;
    }
  }

  return {
    canUndo: () => done.length > 0,
    /** Resolves once all decisions made so far are stored or refused. */
    settled: () => queue,

    /**
     * @param {number} index @param {Decision | undefined} wanted by default the present one
     * @param {{note?: string | undefined, category?: string}} [said]
     */
    decide(index, wanted, { note, category } = {}) {
      queue = queue.then(async () => {
        const before = rows.get(index);
        const decision = wanted ?? before?.decision;
        const isNew = note || category !== undefined || before?.decision !== decision;
        if (!before || !decision || !isNew) return;
        const takeBack = () => send(index, before.decision, before.note, before.category ?? '');
        const kept = wanted ? note : before.note;
        if (await send(index, decision, kept, category)) done.push({ index, takeBack });
      });
      return queue;
    },

    /** Shows a row whose cut-out was mended: somebody has to decide about it anew. @param {number} index @param {Row} row */
    async takeMended(index, row) {
      rows.change(index, { ...ANEW, ...row });
      done.push({ index, takeBack: () => unmend(index) });
      // In turn: counts read beside a decision would be without it, and be shown after it.
      queue = queue.then(() => rows.readCounts()).catch(onError);
      await queue;
    },

    /** Makes the last decision or mending undone. @returns {Promise<number | undefined>} the row's place */
    async undo() {
      await queue;
      const last = done.pop();
      if (!last) return undefined;
      queue = queue.then(async () => {
        if (!(await last.takeBack())) done.push(last);
      });
      await queue;
      return last.index;
    },
  };
}

/** @typedef {ReturnType<typeof createDecisions>} Decisions */
