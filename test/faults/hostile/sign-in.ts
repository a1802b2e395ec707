import { mintKey } from '../../../src/auth/key-record.ts';
import { ask, json } from './ask.ts';
import type { Attack } from './attack.ts';
import { times } from './figures.ts';

/** The address of both, as behind a proxy. */
const FROM = '127.0.0.2';
const AT_ONCE = 20;
/** Sign-ins with a key of one request a minute: one, and one more if a minute ends meanwhile. */
const MAX_SIGN_INS = 5;
/** Ten wrong keys a minute from one address are looked at; the attack takes less than five minutes. */
const MAX_WRONG = 50;

/**
 * The attacker has a key of one request a minute. It signs in to the console again and again, with that and with keys
 * that are none. It must be limited, and the honest client's sign-in succeed.
 */
export const signIn: Attack = {
  name: 'sign-in',
  does: 'sign-ins with a key of 1 request a minute, and with wrong keys',
  async play({ gateway, honest, attackerKey, scale }) {
    const { key } = await attackerKey({ rate: { count: 1, periodSeconds: 60 } });
    const count = scale(3000, 200);
    const statusOf = async (candidate: string) =>
      (await ask(`${gateway.url}/console/session`, { ...json({ key: candidate }), from: FROM }))
        .status;

    /** Returns how many sign-ins got a status. */
    async function countOf(wanted: number, nextKey: () => string): Promise<number> {
      let left = count;
      let found = 0;
      const thread = async () => {
        while (left-- > 0) if ((await statusOf(nextKey())) === wanted) found++;
      };
      await Promise.all(Array.from({ length: AT_ONCE }, thread));
      return found;
    }

    const signedIn = await countOf(200, () => key);
    const tried = await countOf(401, mintKey);
    const honestly = await honest.signIn(FROM);
    return [
      times(`of ${count} sign-ins with a key of 1 a minute, accepted`, signedIn, MAX_SIGN_INS),
      times(`of ${count} sign-ins with wrong keys, looked at`, tried, MAX_WRONG),
      times("the honest client's sign-in fails", honestly === 200 ? 0 : 1, 0),
    ];
  },
};
