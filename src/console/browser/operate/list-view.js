import { call, callJson } from '../api.js';
import { announce, fill, h } from '../element.js';
import { attempt } from '../error-box.js';
import { control } from '../field.js';
import { may } from '../rights.js';
import { table, tableRow } from '../table.js';
import { say, textOf } from '../texts.js';

/**
 * @typedef {import('./lists.js').List} List
 * @typedef {import('./lists.js').Action} Action
 * @typedef {import('./lists.js').Form} Form
 */

/** @param {string} name of a list, column or action */
const titleOf = (name) => textOf(name) ?? name;

/** Shows a list of the API, with what can be done with it. */
export class ListView {
  #list;
  #title;
  #body = h('div.stack');
  /** Keys and secrets that are shown once stay until another takes their place. */
  #said = h('div', { role: 'status' });
  #inside = h('div');
  #errorPlace = h('div');

  /** @param {List} list */
  constructor(list) {
    this.#list = list;
    this.#title = titleOf(`lists.${list.name}`);
    this.node = h(
      'section.stack',
      { 'aria-label': this.#title },
      h('h2', this.#title),
      list.form && this.#form(list.form),
      this.#said,
      this.#errorPlace,
      this.#body,
      this.#inside,
    );
  }

  /** Reads the list anew. */
  async read() {
    const { path } = this.#list;
    if (path) await this.#try(async () => this.#draw(await callJson(path)));
  }

  /** @param {any} response @param {any[]} [newer] rows of the pages before */
  #draw(response, newer = []) {
    const rows = [...newer, ...this.#list.rows(response)];
    const next = response.links?.next;
    const { columns } = this.#list;
    const buttons = rows.map((row) => this.#buttons(row));
    const hasActions = buttons.some((each) => each.length > 0);
    const names = columns.map(([name]) => titleOf(`column.${name}`));
    if (hasActions) names.push(say('column.actions'));
    fill(
      this.#body,
      rows.length === 0
        ? h('p.fine', say('operate.none'))
        : table(
            this.#title,
            names,
            rows.map((row, i) =>
              tableRow([
                ...columns.map(([, cell]) => cell(row)),
                ...(hasActions ? [h('div.buttons', buttons[i])] : []),
              ]),
            ),
          ),
      next &&
        this.#button('older', () => this.#try(async () => this.#draw(await callJson(next), rows))),
    );
  }

  /** @param {any} row */
  #buttons(row) {
    const { actions = [], inside } = this.#list;
    const possible = actions.filter((action) => may(action.needs) && (action.if?.(row) ?? true));
    return [
      ...possible.map((action) => this.#button(action.name, () => this.#act(action, row))),
      ...(inside ? [this.#button('failures', () => this.#open(inside(row)))] : []),
    ];
  }

  /** @param {string} name @param {() => void} onclick */
  #button = (name, onclick) => h('button.quiet', { onclick }, titleOf(`act.${name}`));

  /** @param {List} list */
  #open(list) {
    const view = new ListView(list);
    fill(this.#inside, view.node);
    view.read();
  }

  /** @param {Action} action @param {any} row */
  async #act({ name, asks, request, shows }, row) {
    const label = titleOf(`act.${name}`);
    if (asks && !confirm(say('operate.ask', { action: label }))) return;
    await this.#try(async () => this.#show(await this.#send(request(row)), label, shows));
  }

  /** @param {import('./lists.js').Request} request */
  #send = async ([method, path, json]) => {
    const response = await call(path, { method, json });
    return response.status === 204 ? {} : response.json();
  };

  /** @param {any} response @param {string} done @param {string} [shows] */
  async #show(response, done, shows) {
    const secret = shows && response[shows];
    fill(this.#said, secret && h('p.panel', say('operate.once'), ' ', h('code', secret)));
    announce(done);
    await this.read();
  }

  /** @param {() => Promise<void>} work */
  #try = (work) => attempt(this.#errorPlace, work);

  /** @param {Form} form */
  #form({ name, fields, request, shows, finds }) {
    const controls = fields.map((field) => ({ field, ...control(field) }));
    const label = titleOf(`act.${name}`);
    const onsubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      const values = Object.fromEntries(
        controls.map(({ field, node }) => [field.name, node.value.trim()]),
      );
      this.#try(async () => {
        const response = await this.#send(request(values));
        if (finds) this.#draw(response);
        else await this.#show(response, label, shows);
      });
    };
    return h(
      'form.panel.stack.operate-form',
      { onsubmit },
      controls.map((each) => each.label),
      h('div.buttons', h('button', { type: 'submit' }, label)),
    );
  }
}
