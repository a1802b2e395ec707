import { ApiError, pause } from '../api.js';
import { announce } from '../element.js';
import { formatNumber, say } from '../texts.js';
import { readAddress, toHash } from './address.js';
import { openBulkApproval } from './bulk.js';
import { createDecisions } from './decisions.js';
import { createFilters } from './filters.js';
import { createFrame } from './frame.js';
import { createGrid } from './grid.js';
import { openKeyHelp } from './help.js';
import { openRowBrush } from './mend-row.js';
import { createPictures } from './pictures.js';
import { createRows } from './rows.js';
import { createSingle } from './single.js';
import { createWholeCutOuts } from './whole-cut-outs.js';
import { DECISION_WORDS, nameOf, shortReasons } from './words.js';

/** @typedef {import('./address.js').Address} Address */

/** Browsers limit how often a page may change its address. */
const ADDRESS_MILLIS = 300;
/** After a row is shown, before the pictures of the next one are fetched. */
const PREFETCH_MILLIS = 200;

/**
 * Shows one review with its filters. A change of the filters needs another one.
 * @param {Address} address
 * @param {(address: Address) => void} open shows another one
 */
export function reviewView(address, open) {
  const { path } = address;
  const rows = createRows(address, { onChange: draw, onError: showError });
  const decisions = createDecisions(rows, { onConflict, onError: showError });
  const pictures = createPictures(path);
  const whole = createWholeCutOuts(path);
  let { at, isSingle } = address;

  const filters = createFilters(address, (changed) =>
    open({ ...address, ...changed, at: 0, isSingle }),
  );
  const frame = createFrame(filters.node, {
    approve: () => decide('approved'),
    reject: () => decide('rejected'),
    mend,
    undo,
    before: () => select(at - 1),
    next: () => select(at + 1),
    changeView: () => setSingle(!isSingle),
    bulk,
    help: () => openKeyHelp(),
  });
  const grid = createGrid(rows, pictures, { onSelect: select, onOpen: () => setSingle(true) });
  const single = createSingle(path, pictures, frame.buttons, categorise);

  /** @param {unknown} error */
  function showError(error) {
    frame.showError(error);
  }

  /** @param {string} text @param {number} index */
  function onConflict(text, index) {
    const row = rows.get(index);
    frame.showConflict(row ? nameOf(row) : say('review.row'), text);
    select(index);
  }

  function placeText() {
    const total = rows.length();
    return total > 0
      ? say('picture.place', {
          at: at + 1,
          count: `${formatNumber(total)}${rows.hasMore() ? '+' : ''}`,
        })
      : '';
  }

  function draw() {
    const counts = rows.counts();
    const row = rows.get(at);
    filters.setTotal(rows.length(), rows.hasMore());
    const canUndo = decisions.canUndo();
    frame.draw({ counts, hasRow: row !== undefined, canUndo, place: placeText() });
    single.show(row);
    if (counts && rows.length() === 0 && !rows.hasMore()) return frame.showEmpty();
    grid.draw();
  }

  function layOut() {
    frame.layOut(grid.node, single.node, isSingle);
    if (!isSingle) grid.select(at);
    draw();
  }

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let addressTimer;
  const current = () => ({ ...address, at, isSingle });
  function writeAddress() {
    clearTimeout(addressTimer);
    addressTimer = setTimeout(() => {
      // Somebody may have gone to another page, which is drawn later or has left this one in place.
      const isHere = frame.node.isConnected && readAddress(location.hash)?.path === path;
      if (isHere) history.replaceState(null, '', toHash(current()));
    }, ADDRESS_MILLIS);
  }

  /** @param {number} index @param {string} [said] what was done before, for screen readers */
  function select(index, said = '') {
    const end = rows.length() + (rows.hasMore() ? 1 : 0);
    at = Math.max(0, Math.min(index, end - 1));
    if (!isSingle) grid.select(at);
    ensureAround();
    writeAddress();
    draw();
    const row = rows.get(at);
    // In the grid, its selected option is announced.
    const text = isSingle && row ? `${nameOf(row)}: ${shortReasons(row)}` : '';
    if (said || text) announce([said, text].filter(Boolean).join('. '));
  }

  async function ensureAround() {
    await rows.ensure(at, at + 2);
    const here = at;
    await pause(PREFETCH_MILLIS);
    const next = rows.get(here + 1);
    if (!isSingle || !next || at !== here) return;
    pictures.cutOut(next).catch(() => {});
    pictures.photo(next).catch(() => {});
  }

  /** @param {boolean} value */
  function setSingle(value) {
    if (isSingle === value) return;
    clearTimeout(addressTimer);
    isSingle = value;
    history.pushState(null, '', toHash(current()));
    layOut();
    ensureAround();
    focusView();
  }

  function focusView() {
    (isSingle ? single.name : grid.node).focus({ preventScroll: true });
  }

  /** @param {import('./rows.js').Decision} decision */
  function decide(decision) {
    const row = rows.get(at);
    if (!row) return;
    const note = isSingle ? single.note() : '';
    frame.clearNotice();
    single.clearNote();
    decisions.decide(at, decision, { note: note || undefined }).then(draw);
    select(at + 1, `${nameOf(row)}: ${DECISION_WORDS[decision]}`);
  }

  /** @param {string} category of the present row; the decision about its cut-out stays */
  function categorise(category) {
    frame.clearNotice();
    decisions.decide(at, undefined, { category }).then(draw);
  }

  async function undo() {
    frame.clearNotice();
    const index = await decisions.undo();
    if (index === undefined) return;
    const row = rows.get(index);
    select(index, row && `${nameOf(row)}: ${DECISION_WORDS[row.decision]}`);
  }

  async function mend() {
    const row = rows.get(at);
    if (!row) return;
    const index = at;
    frame.clearNotice();
    const onMended = (/** @type {import('./rows.js').Row} */ mended) => {
      decisions.takeMended(index, mended).then(draw);
      announce(say('cut.mended', { name: nameOf(mended) }));
    };
    try {
      const present = () => decisions.settled().then(() => rows.get(index) ?? row);
      await openRowBrush(row, present, { pictures, whole }, onMended);
    } catch (error) {
      const isGone = error instanceof ApiError && error.type === 'gone';
      if (!isGone) return showError(error);
      setSingle(true);
      frame.showAdvice(say('review.choosePhotoFirst'));
    }
  }

  async function bulk() {
    await openBulkApproval(path, (approved) => {
      announce(say('bulk.approved', { count: approved }));
      open(current());
    }).catch(showError);
  }

  /** @type {Readonly<Record<string, () => void>>} */
  const keys = {
    ArrowLeft: () => select(at - 1),
    ArrowRight: () => select(at + 1),
    ArrowUp: () => select(at - (isSingle ? 1 : grid.columns())),
    ArrowDown: () => select(at + (isSingle ? 1 : grid.columns())),
    Home: () => select(0),
    End: () => select(rows.length() - 1),
    Enter: () => setSingle(!isSingle),
    Escape: () => setSingle(false),
    a: () => decide('approved'),
    r: () => decide('rejected'),
    m: mend,
    u: undo,
    g: () => setSingle(!isSingle),
    '?': () => openKeyHelp(),
  };

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = keys[key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    event.preventDefault();
    act();
  }

  async function start() {
    await rows.ensure(at, at + 1);
    if (at > 0 && at >= rows.length()) at = Math.max(0, rows.length() - 1);
    layOut();
    ensureAround();
  }

  layOut();
  start().catch(showError);
  return {
    node: frame.node,
    onKey,
    focus: focusView,
    /** @param {Address} moved */
    move(moved) {
      at = moved.at;
      isSingle = moved.isSingle;
      layOut();
      select(at);
    },
  };
}
