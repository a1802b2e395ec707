import { type Logger, pino } from 'pino';

export type { Logger };

/** Fields that are never written, even if a whole object is logged. */
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
 * Creates the JSON logger of a process: one line per event.
 * @param process the process's name, in every line
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
