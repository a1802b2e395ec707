import { pathToFileURL } from 'node:url';
import {
  GetBucketLifecycleConfigurationCommand,
  GetBucketVersioningCommand,
  type LifecycleRule,
  PutBucketLifecycleConfigurationCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Command } from 'commander';
import { ConfigError, readConfig } from '../../src/platform/config.ts';
import { FEEDS_PREFIX, KEYS_PREFIX, SETTINGS_PREFIX } from '../../src/storage/blob-keys.ts';
import { createS3Blobs, createS3Client } from '../../src/storage/s3-blobs.ts';

/**
 * After how many days the bucket deletes what the sweeper should have deleted before. Results are retained for seven
 * days at most, after a batch that may take as long. `feeds/` has no rule: it stays until its feed is deleted.
 */
export const EXPIRATION_DAYS = {
  'sync/': 1,
  'in/': 16,
  'out/': 16,
  'batches/': 16,
  'deeds/': 1,
} as const;
/** What has no such rule. */
const LASTING_PREFIXES = [FEEDS_PREFIX, SETTINGS_PREFIX, KEYS_PREFIX];
const UNFINISHED_UPLOAD_DAYS = 1;
/** After this, what was deleted or replaced is deleted from a bucket that keeps its versions. */
const OLD_VERSION_DAYS = 1;
/** The prefix that marks our rules. */
const OWN_PREFIX = 'selvage-';

const nameOf = (prefix: string): string => `${OWN_PREFIX}${prefix.replaceAll('/', '')}`;

/** The part of a rule about old versions. S3 then clears delete markers by itself, or as the rule says. */
const ofOldVersions = { NoncurrentVersionExpiration: { NoncurrentDays: OLD_VERSION_DAYS } };

const ruleOf = (Prefix: string) => ({
  ID: nameOf(Prefix),
  Status: 'Enabled' as const,
  Filter: { Prefix },
});

const ownRules = (keepsVersions: boolean): LifecycleRule[] => [
  ...Object.entries(EXPIRATION_DAYS).map(([Prefix, Days]) => ({
    ...ruleOf(Prefix),
    Expiration: { Days },
    ...(keepsVersions && ofOldVersions),
  })),
  ...(keepsVersions ? LASTING_PREFIXES : []).map((Prefix) => ({
    ...ruleOf(Prefix),
    Expiration: { ExpiredObjectDeleteMarker: true },
    ...ofOldVersions,
  })),
  {
    ID: `${OWN_PREFIX}unfinished-uploads`,
    Status: 'Enabled',
    Filter: { Prefix: '' },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: UNFINISHED_UPLOAD_DAYS },
  },
];

/** Returns the bucket's rules; none if it has no lifecycle configuration. */
export async function readRules(client: S3Client, Bucket: string): Promise<LifecycleRule[]> {
  try {
    const response = await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket }));
    return response.Rules ?? [];
  } catch (error) {
    const isNone =
      error instanceof S3ServiceException && error.name === 'NoSuchLifecycleConfiguration';
    if (isNone) return [];
    throw error;
  }
}

/** Writes our rules and keeps all others. Idempotent. */
export async function writeRules(client: S3Client, Bucket: string): Promise<LifecycleRule[]> {
  const others = (await readRules(client, Bucket)).filter(({ ID }) => !ID?.startsWith(OWN_PREFIX));
  const { Status } = await client.send(new GetBucketVersioningCommand({ Bucket }));
  const Rules = [...others, ...ownRules(Status !== undefined)];
  const LifecycleConfiguration = { Rules };
  await client.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration }));
  return Rules;
}

const describeRule = ({
  ID,
  Filter,
  Expiration,
  NoncurrentVersionExpiration,
  AbortIncompleteMultipartUpload,
}: LifecycleRule) => {
  const files = `${Filter?.Prefix ?? ''}*`;
  const after = [
    { what: `${files} is deleted`, days: Expiration?.Days },
    {
      what: `old versions of ${files} are deleted`,
      days: NoncurrentVersionExpiration?.NoncurrentDays,
    },
    {
      what: 'unfinished uploads are cleared',
      days: AbortIncompleteMultipartUpload?.DaysAfterInitiation,
    },
  ];
  const parts = after.flatMap(({ what, days }) =>
    days === undefined ? [] : `${what} after ${days} ${days === 1 ? 'day' : 'days'}`,
  );
  return `${ID}: ${parts.join(', ')}`;
};

async function main({ json }: { json: boolean }): Promise<void> {
  const { STORE, S3_BUCKET: bucket } = readConfig(process.env);
  if (STORE !== 's3') {
    const why =
      'Storage is a file system, which has no lifecycle rules: the sweeper alone deletes.';
    return console.log(json ? JSON.stringify({ rules: [] }) : why);
  }
  (await createS3Blobs({ bucket })).close(); // creates the bucket if it is missing
  const client = createS3Client({});
  const rules = await writeRules(client, bucket).finally(() => client.destroy());
  if (json) return console.log(JSON.stringify({ bucket, rules }));
  const ours = rules.filter(({ ID }) => ID?.startsWith(OWN_PREFIX));
  console.log([`Bucket ${bucket}`, ...ours.map(describeRule)].join('\n'));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  new Command('lifecycle')
    .description(
      'Writes lifecycle rules that delete leftovers from the S3 bucket. Reads STORE, S3_BUCKET and the settings of the AWS SDK.',
    )
    .option('--json', 'print JSON', false)
    .action(main)
    .parseAsync()
    .catch((error) => {
      console.error(error instanceof ConfigError ? error.message : error);
      process.exitCode = 1;
    });
}
