import { type CacheInputs, cutOutPrefix, FEEDS_PREFIX, segment } from '../../storage/blob-keys.ts';

/** Everything that is kept of a feed but its runs' rows and results lies under one prefix. */
export const feedPrefix = (client: string, feedId: string): string =>
  `${FEEDS_PREFIX}${segment(client)}/${feedId}/`;

/** Names of a feed's blobs. */
export const feedKeys = (client: string, feedId: string) => {
  const prefix = feedPrefix(client, feedId);
  return {
    intent: `${prefix}feed.json`,
    /** The feed as it was when a run read it, byte for byte. */
    source: (runId: string): string => `${prefix}runs/${runId}/source`,
    /** What the names of all its cut-outs and pictures begin with. */
    images: `${prefix}images/`,
  };
};

/** A cut-out of a feed: the same for all its products and runs that show the same image. */
export function feedImageKey(client: string, feedId: string, makings: CacheInputs): string {
  const [, , sha256, pipeline] = cutOutPrefix(makings).split('/');
  return `${feedKeys(client, feedId).images}${sha256}-${pipeline}.png`;
}

/**
 * A cut-out of a feed as marketplaces are given it: a JPEG on a background, else a PNG.
 * @param background `#rrggbb`
 */
export const feedPictureKey = (cutoutKey: string, background: string | undefined): string =>
  cutoutKey.replace(/\.png$/, background ? `-${background.slice(1)}.jpg` : '-clear.png');
