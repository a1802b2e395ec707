import { RulePack } from './pack.ts';
import amazonMain from './packs/amazon-main.json' with { type: 'json' };
import googleMerchant from './packs/google-merchant.json' with { type: 'json' };
import zalandoPackshot from './packs/zalando-packshot.json' with { type: 'json' };

export const BUILT_IN_PACKS: ReadonlyMap<string, RulePack> = new Map(
  Object.entries({
    'amazon-main': amazonMain,
    'google-merchant': googleMerchant,
    'zalando-packshot': zalandoPackshot,
  }).map(([name, pack]) => [name, RulePack.parse(pack)]),
);
