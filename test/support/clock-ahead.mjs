// @ts-check
/** Loaded before a program (`--import`): its host clock is CLOCK_AHEAD_MILLIS ahead; the monotonic clock is not. */
const aheadMillis = Number(process.env.CLOCK_AHEAD_MILLIS);
const HostDate = Date;
const now = () => HostDate.now() + aheadMillis;

globalThis.Date = new Proxy(HostDate, {
  construct: (target, args) => Reflect.construct(target, args.length === 0 ? [now()] : args),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
