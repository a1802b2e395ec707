/** An operation of the API as a command. */
export interface Operation {
  /** Words, then arguments: those that `call` names go into its path, `<file>` is the JSON body, others are its members. */
  usage: string;
  about: string;
  /** Method and path, as in the API's document; `{of}` is a batch or a run of a feed. */
  call: `${'GET' | 'POST' | 'PUT' | 'DELETE'} ${string}`;
  /** By their flags; of a GET or DELETE they are its query, else members of the body. The values of `<number>` are numbers. */
  options?: Readonly<Record<string, string>>;
  /** Members of the body that are always the same. */
  body?: Readonly<Record<string, unknown>>;
  /** Whether it is read page by page, up to `--limit`. */
  pages?: true;
  /** The member that is shown as a table, and its columns. */
  table?: readonly [member: string, ...columns: string[]];
}

/** What the commands with several words are about. */
export const GROUPS: Readonly<Record<string, string>> = {
  jobs: 'single images, processed while you do something else',
  review: 'what people decide about the cut-outs of a batch or a feed',
  presets: 'named options, which other commands take by --preset',
  categories: 'what was learnt of the categories of your shop',
  rules: 'packs of marketplace rules, which other commands take by --rules',
  webhooks: 'the signing secret, and the deliveries of events',
};

const INTAKE = '/intake/v1';

/** The operations that are a call of the API and nothing more. */
// biome-ignore format: a table reads best with a row a line
export const OPERATIONS: readonly Operation[] = [
  { usage: 'jobs list', about: 'list your jobs, newest first', call: `GET ${INTAKE}/jobs`, pages: true, table: ['jobs', 'id', 'status', 'operations', 'createdAt'] },
  { usage: 'jobs get <id>', about: 'show a job', call: `GET ${INTAKE}/jobs/{id}` },
  { usage: 'jobs cancel <id>', about: 'cancel a job that has not ended', call: `POST ${INTAKE}/jobs/{id}/cancel` },
  { usage: 'jobs delete <id>', about: 'delete a job with its images', call: `DELETE ${INTAKE}/jobs/{id}` },

  { usage: 'review list <of>', about: 'list the rows to look at, the most doubtful first', call: `GET ${INTAKE}/{of}/review`, options: { '--decision <word>': 'only pending, approved or rejected ones', '--reason <word>': 'only those with this reason' }, pages: true, table: ['rows', 'row', 'customId', 'confidence', 'reasons', 'decision', 'revision', 'note'] },
  { usage: 'review summary <of>', about: 'count them by reason and confidence', call: `GET ${INTAKE}/{of}/review/summary` },
  { usage: 'review get <of> <row>', about: 'show a row with the decisions about it', call: `GET ${INTAKE}/{of}/review/{row}` },
  { usage: 'review decide <of> <row> <decision>', about: 'decide about a row: approved, rejected or pending', call: `POST ${INTAKE}/{of}/review/{row}`, options: { '--revision <number>': 'of the decision that you have seen; 0, the default, if there was none', '--note <text>': 'why', '--category <id>': 'what the row sells: a category, or none for no garment' }, body: { revision: 0 } },
  { usage: 'review approve <of>', about: 'approve what is pending from a confidence on', call: `POST ${INTAKE}/{of}/review`, options: { '--min-confidence <number>': 'from 0 to 1; .9 by default' }, body: { decision: 'approved', minConfidence: 0.9 } },

  { usage: 'presets list', about: 'list your presets', call: `GET ${INTAKE}/presets`, table: ['presets', 'name', 'changedAt'] },
  { usage: 'presets get <name>', about: 'show a preset', call: `GET ${INTAKE}/presets/{name}` },
  { usage: 'presets put <name> <file>', about: 'store a preset: {"options": {"background": "white", …}}', call: `PUT ${INTAKE}/presets/{name}` },
  { usage: 'presets delete <name>', about: 'delete a preset', call: `DELETE ${INTAKE}/presets/{name}` },

  { usage: 'categories list', about: 'list what was learnt of the categories of your shop', call: `GET ${INTAKE}/categories`, table: ['categories', 'path', 'category', 'decisions', 'agreement'] },
  { usage: 'categories put <file>', about: 'store what is known of some, as `list --json` prints it', call: `PUT ${INTAKE}/categories` },
  { usage: 'categories forget', about: 'forget what was learnt, of one or of all', call: `DELETE ${INTAKE}/categories`, options: { '--path <path>': 'only of this one' } },

  { usage: 'rules list', about: 'list the packs that are built in, then your own', call: `GET ${INTAKE}/rules`, table: ['rules', 'name', 'version', 'builtIn', 'changedAt'] },
  { usage: 'rules get <name>', about: 'show a pack', call: `GET ${INTAKE}/rules/{name}` },
  { usage: 'rules put <name> <file>', about: 'create or replace a pack of your own', call: `PUT ${INTAKE}/rules/{name}` },
  { usage: 'rules delete <name>', about: 'delete a pack of your own', call: `DELETE ${INTAKE}/rules/{name}` },

  { usage: 'webhooks status', about: 'show secrets by their first characters, and disabled URLs', call: `GET ${INTAKE}/webhooks` },
  { usage: 'webhooks secret', about: 'create or rotate the signing secret, which is shown once', call: `POST ${INTAKE}/webhooks/secret` },
  { usage: 'webhooks enable <url>', about: 'enable a URL that has responded with 410', call: `POST ${INTAKE}/webhooks/enable` },
  { usage: 'webhooks deliveries', about: 'list the deliveries of three days, newest first', call: `GET ${INTAKE}/webhooks/deliveries`, options: { '--status <word>': 'only pending, delivered, failed or dropped ones', '--limit <number>': 'at most so many; 50 by default' }, table: ['deliveries', 'id', 'type', 'status', 'createdAt', 'url'] },
  { usage: 'webhooks delivery <id>', about: 'show a delivery with its attempts', call: `GET ${INTAKE}/webhooks/deliveries/{id}` },
  { usage: 'webhooks replay <id>', about: 'send an event again, with the same id', call: `POST ${INTAKE}/webhooks/deliveries/{id}/replay` },
  { usage: 'webhooks test <url>', about: 'send a signed test event to an address of yours', call: `POST ${INTAKE}/webhooks/test`, options: { '--type <type>': 'the type of the event; job.succeeded by default' }, body: { type: 'job.succeeded' } },

  { usage: 'usage', about: 'what your key allows, and what is left of its rate and quota', call: `GET ${INTAKE}/usage` },
  { usage: 'audit', about: 'list who changed what, newest first; for operators', call: 'GET /account/v1/audit', options: { '--client <name>': 'only of this client', '--person <person>': 'only by this person, as the list names them', '--key-id <id>': 'only with this key', '--since <time>': 'not before, as 2026-11-27T00:00:00Z', '--until <time>': 'not after' }, pages: true, table: ['entries', 'answeredAt', 'client', 'person', 'keyId', 'operation', 'params.id', 'status'] },
  { usage: 'day <file>', about: 'one outfit for the hours of a day, from a wardrobe and a forecast', call: 'POST /look/v1/day', table: ['hours', 'at', 'wearIds', 'putOnIds', 'takeOffIds'] },
  { usage: 'trip <file>', about: 'what to take on a trip, and an outfit for each day', call: 'POST /look/v1/trip', table: ['days', 'date', 'outfit.name', 'outfit.itemIds'] },
  { usage: 'calibrate <file>', about: 'fit a profile to how warm a person felt', call: 'POST /look/v1/calibrate', table: ['applied', 'index', 'status', 'predictedVote', 'residual'] },
];
