import { h, tags } from '../element.js';
import { formatDate, formatList, formatNumber, say, textOf } from '../texts.js';

/**
 * @typedef {import('../element.js').Child} Child
 * @typedef {import('../field.js').Field} Field
 * @typedef {[method: string, path: string, json?: unknown]} Request
 *
 * @typedef {object} Action what can be done with a row
 * @property {string} name of its text
 * @property {(row: any) => Request} request
 * @property {(row: any) => boolean} [if] for which rows; for all by default
 * @property {readonly string[]} [needs] rights that it needs
 * @property {true} [asks] it cannot be undone, so it is asked first
 * @property {string} [shows] a member of the response that is shown this once
 *
 * @typedef {object} Form what can be made, or found, above the list
 * @property {string} name of its text
 * @property {readonly Field[]} fields
 * @property {(values: any) => Request} request
 * @property {string} [shows] as of an action
 * @property {true} [finds] the response has the rows
 *
 * @typedef {object} List a list of the API
 * @property {string} name of its text, and in the address
 * @property {readonly string[]} needs rights of the key, without which it is not shown
 * @property {string} [path] none if it is only searched
 * @property {(response: any) => any[]} rows of the response
 * @property {readonly [name: string, cell: (row: any) => Child | Child[]][]} columns the first one names a row
 * @property {readonly Action[]} [actions]
 * @property {(row: any) => List} [inside] what each row has itself
 * @property {Form} [form]
 */

/** @param {string | undefined} instant */
const date = (instant) => instant && formatDate(instant);
/** @param {string} state */
const state = (state) => h('span.tag', textOf(`state.${state}`) ?? state);
/** @param {boolean} is */
const yes = (is) => (is ? say('answer.true') : say('answer.false'));
/** @param {{bucket?: string, prefix?: string, kind: string}} place */
const place = ({ kind, bucket, prefix = '' }) => (bucket ? `${bucket}/${prefix}` : kind);
/** @param {{count: number, periodSeconds: number}} rate */
const rate = ({ count, periodSeconds }) => say('operate.rate', { count, seconds: periodSeconds });
/** @param {any} options */
const options = (options) =>
  Object.entries(options)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

const url = { name: 'url', label: say('column.url'), type: 'url', isRequired: true };
const ACCESS = '/access/v1/requests';
const KEYS = '/account/v1/keys';
/** @type {Intl.DateTimeFormatOptions} */
const TO_THE_SECOND = { dateStyle: 'medium', timeStyle: 'medium' };
const AUDIT = '/account/v1/audit?limit=50';
const WEBHOOKS = '/intake/v1/webhooks';
const isPending = (/** @type {any} */ row) => row.status === 'pending';
const isOwn = (/** @type {any} */ row) => !row.builtIn;
const remove = {
  name: 'remove',
  needs: ['background-removal:process'],
  asks: /** @type {const} */ (true),
  if: isOwn,
  request: (/** @type {any} */ row) => /** @type {Request} */ (['DELETE', row.links.self]),
};

/** @param {any} source @returns {List} */
const failures = ({ id, links }) => ({
  name: 'failures',
  needs: [],
  path: links.failures,
  rows: (response) => [...response.failures, ...response.unlisted],
  columns: [
    ['name', (row) => `${id}: ${row.name}`],
    ['reason', (row) => row.reason],
    ['attempts', (row) => row.attempts && formatNumber(row.attempts)],
    ['since', (row) => date(row.since)],
    ['retryAt', (row) => date(row.retryAt)],
  ],
});

/** What an operator or a client manages, each a list of the API. @type {readonly List[]} */
export const LISTS = [
  {
    name: 'access',
    needs: ['operations:access'],
    path: ACCESS,
    rows: (response) => response.requests.toReversed(),
    columns: [
      ['client', (row) => row.client],
      ['contact', (row) => row.contact],
      ['scopes', (row) => tags(row.scopes)],
      ['note', (row) => row.note],
      ['status', (row) => state(row.status)],
      ['requestedAt', (row) => date(row.requestedAt)],
    ],
    actions: [
      {
        name: 'approve',
        if: isPending,
        asks: true,
        request: ({ id }) => ['POST', `${ACCESS}/${id}/approve`, {}],
      },
      {
        name: 'deny',
        if: isPending,
        asks: true,
        request: ({ id }) => ['POST', `${ACCESS}/${id}/deny`],
      },
    ],
  },
  {
    name: 'keys',
    needs: ['account'],
    path: KEYS,
    rows: (response) => response.keys,
    columns: [
      ['key', (row) => [h('code', row.prefix), row.current && ` ${say('operate.current')}`]],
      ['name', (row) => row.name],
      ['scopes', (row) => tags([...row.scopes, ...row.intake])],
      ['rate', (row) => rate(row.rate)],
      ['quotaPerDay', (row) => formatNumber(row.quotaPerDay)],
      ['createdAt', (row) => date(row.createdAt)],
      ['lastUsedAt', (row) => date(row.lastUsedAt)],
      ['expiresAt', (row) => date(row.expiresAt)],
    ],
    actions: [
      {
        name: 'rotate',
        asks: true,
        shows: 'key',
        request: ({ id }) => ['POST', `${KEYS}/${id}/rotate`, {}],
      },
      { name: 'revoke', asks: true, request: ({ id }) => ['DELETE', `${KEYS}/${id}`] },
    ],
    form: {
      name: 'createKey',
      shows: 'key',
      fields: [
        { name: 'name', label: say('column.name') },
        { name: 'quotaPerDay', label: say('column.quotaPerDay'), type: 'number' },
      ],
      request: ({ name, quotaPerDay }) => [
        'POST',
        KEYS,
        { ...(name && { name }), ...(quotaPerDay && { quotaPerDay: Number(quotaPerDay) }) },
      ],
    },
  },
  {
    name: 'days',
    needs: ['account'],
    path: '/account/v1/usage',
    rows: (response) => response.days,
    columns: [
      ['date', (row) => formatDate(`${row.date}T12:00`, { dateStyle: 'medium' })],
      ['units', (row) => formatNumber(row.units)],
      [
        'operations',
        (row) =>
          formatList(
            row.operations.map(
              (/** @type {any} */ each) => `${each.operation} ${formatNumber(each.requests)}`,
            ),
          ),
      ],
    ],
  },
  {
    name: 'requests',
    needs: ['account'],
    rows: (response) => response.requests,
    columns: [
      ['answeredAt', (row) => date(row.answeredAt)],
      ['client', (row) => row.client],
      ['key', (row) => row.person ?? row.keyId],
      ['request', (row) => h('code', `${row.method} ${row.route}`)],
      ['status', (row) => [row.status, row.problem && ` ${row.problem}`]],
      ['pointer', (row) => row.pointer],
      ['millis', (row) => formatNumber(row.millis)],
      ['units', (row) => formatNumber(row.units)],
    ],
    form: {
      name: 'find',
      finds: true,
      fields: [{ name: 'id', label: say('error.requestId'), isRequired: true }],
      request: ({ id }) => ['GET', `/account/v1/requests/${encodeURIComponent(id)}`],
    },
  },
  {
    name: 'audit',
    needs: ['operations:access'],
    path: AUDIT,
    rows: (response) => response.entries,
    columns: [
      ['answeredAt', (row) => formatDate(row.answeredAt, TO_THE_SECOND)],
      ['client', (row) => row.client],
      ['who', (row) => row.person ?? row.keyId],
      ['act', (row) => h('code', row.operation)],
      ['on', ({ params, made = '' }) => [...Object.values(params), made].join(' ')],
      ['status', (row) => [row.status, row.problem && ` ${row.problem}`]],
    ],
    form: {
      name: 'find',
      finds: true,
      fields: [
        { name: 'client', label: say('column.client') },
        { name: 'person', label: say('column.person') },
      ],
      request: (values) => {
        const given = Object.entries(values).filter(([, value]) => value);
        return ['GET', `${AUDIT}&${new URLSearchParams(given)}`];
      },
    },
  },
  {
    name: 'sources',
    needs: ['sources'],
    path: '/intake/v1/sources',
    rows: (response) => response.sources,
    columns: [
      ['name', (row) => row.id],
      ['from', (row) => place(row.from)],
      ['to', (row) => place(row.to)],
      ['status', (row) => [state(row.status), row.problem && ` ${row.problem.detail}`]],
      ['counts', ({ counts }) => say('operate.counts', counts)],
      ['listedAt', (row) => date(row.listedAt)],
    ],
    actions: [
      { name: 'scan', request: ({ links }) => ['POST', links.scan] },
      {
        name: 'pause',
        if: ({ status }) => !['off', 'paused'].includes(status),
        request: ({ links, options }) => ['PUT', links.self, { options, paused: true }],
      },
      {
        name: 'resume',
        if: ({ status }) => ['off', 'paused'].includes(status),
        request: ({ links, options }) => ['PUT', links.self, { options }],
      },
    ],
    inside: failures,
  },
  {
    name: 'webhooks',
    needs: ['webhooks'],
    path: WEBHOOKS,
    rows: ({ secrets, disabledUrls }) => [
      ...secrets,
      ...disabledUrls.map((/** @type {string} */ disabled) => ({ disabled })),
    ],
    columns: [
      ['secret', (row) => row.disabled ?? h('code', row.prefix)],
      ['status', (row) => state(row.disabled ? 'disabled' : 'signing')],
      ['createdAt', (row) => date(row.createdAt)],
      ['expiresAt', (row) => date(row.expiresAt)],
    ],
    actions: [
      {
        name: 'enable',
        if: ({ disabled }) => disabled !== undefined,
        request: ({ disabled }) => ['POST', `${WEBHOOKS}/enable`, { url: disabled }],
      },
    ],
    form: {
      name: 'createSecret',
      shows: 'secret',
      fields: [],
      request: () => ['POST', `${WEBHOOKS}/secret`],
    },
  },
  {
    name: 'deliveries',
    needs: ['webhooks'],
    path: `${WEBHOOKS}/deliveries`,
    rows: (response) => response.deliveries,
    columns: [
      ['createdAt', (row) => date(row.createdAt)],
      ['type', (row) => h('code', row.type)],
      ['url', (row) => row.url],
      ['status', (row) => state(row.status)],
      [
        'attempts',
        ({ attempts }) =>
          formatList(
            attempts.map((/** @type {any} */ { status, reason }) => String(status ?? reason)),
          ),
      ],
      ['retryAt', (row) => date(row.nextAttemptAt)],
    ],
    actions: [{ name: 'replay', request: ({ links }) => ['POST', links.replay] }],
    form: {
      name: 'test',
      fields: [url],
      request: (values) => ['POST', `${WEBHOOKS}/test`, values],
    },
  },
  {
    name: 'presets',
    needs: ['settings'],
    path: '/intake/v1/presets',
    rows: (response) => response.presets,
    columns: [
      ['name', (row) => row.name],
      ['options', (row) => options(row.options)],
      ['changedAt', (row) => date(row.changedAt)],
    ],
    actions: [remove],
  },
  {
    name: 'rules',
    needs: ['settings'],
    path: '/intake/v1/rules',
    rows: (response) => response.rules,
    columns: [
      ['name', (row) => row.name],
      ['title', (row) => row.pack.title],
      ['version', (row) => h('code', row.version)],
      ['builtIn', (row) => yes(row.builtIn)],
      ['rules', (row) => tags(Object.keys(row.pack.rules))],
      ['changedAt', (row) => date(row.changedAt)],
    ],
    actions: [remove],
  },
];
