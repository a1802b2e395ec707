import { type Logger, pino } from 'pino';

export type { Logger };

/** The net under the plan: fields that must never be written, should someone log a whole object. */
const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'apiKey',
  'key',
  'password',
  'secret',
  'image',
  'image_base64',
];

/**
 * The JSON logger of one process, one line an event.
 * @param process the process's name, on every line
 * @param level pino level: trace, debug, info, warn, error, fatal or silent
 */
export const createLog = (process: string, level: string): Logger =>
  pino({
    level,
    base: { process },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
      censor: '[hidden]',
    },
  });
