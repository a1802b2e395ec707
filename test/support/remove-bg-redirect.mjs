import https from 'node:https';

/**
 * For a process that speaks to https://api.remove.bg: its connections go to a port of this machine. All
 * else stays as it is; TLS still asks for the name.
 */
const HOST = 'api.remove.bg';
const port = Number(process.env.REMOVE_BG_PORT);

const { createConnection } = https.Agent.prototype;
https.Agent.prototype.createConnection = function connect(options, ...rest) {
  const target = options.host === HOST ? { ...options, host: '127.0.0.1', port } : options;
  return createConnection.call(this, target, ...rest);
};
