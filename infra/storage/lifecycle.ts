import { pathToFileURL } from 'node:url';
import {
  GetBucketLifecycleConfigurationCommand,
  type LifecycleRule,
  PutBucketLifecycleConfigurationCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Command } from 'commander';
import { ConfigError, readConfig } from '../../src/platform/config.ts';
import { createS3Blobs, createS3Client } from '../../src/storage/s3-blobs.ts';

/**
 * How long the bucket itself keeps what the sweeper should have deleted before, days. Results are kept
 * for seven at most, after a batch that may take as long. What is under `feeds/` stays until its feed is deleted.
 */
export const KEPT_DAYS = { 'sync/': 1, 'in/': 16, 'out/': 16, 'batches/': 16 } as const;
const UNFINISHED_DAYS = 1;
/** By this our rules are known from those of others. */
const OURS = 'selvage-';

const nameOf = (prefix: string): string => `${OURS}${prefix.replaceAll('/', '')}`;

const ownRules = (): LifecycleRule[] => [
  ...Object.entries(KEPT_DAYS).map(([Prefix, Days]) => ({
    ID: nameOf(Prefix),
    Status: 'Enabled' as const,
    Filter: { Prefix },
    Expiration: { Days },
  })),
  {
    ID: `${OURS}unfinished-uploads`,
    Status: 'Enabled',
    Filter: { Prefix: '' },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: UNFINISHED_DAYS },
  },
];

/** The bucket's rules; none where nobody ever made one. */
export async function readRules(client: S3Client, Bucket: string): Promise<LifecycleRule[]> {
  try {
    const answer = await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket }));
    return answer.Rules ?? [];
  } catch (error) {
    const isNone =
      error instanceof S3ServiceException && error.name === 'NoSuchLifecycleConfiguration';
    if (isNone) return [];
    throw error;
  }
}

/** Writes our rules beside those of others; again, it changes nothing. */
export async function writeRules(client: S3Client, Bucket: string): Promise<LifecycleRule[]> {
  const others = (await readRules(client, Bucket)).filter(({ ID }) => !ID?.startsWith(OURS));
  const Rules = [...others, ...ownRules()];
  const LifecycleConfiguration = { Rules };
  await client.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration }));
  return Rules;
}

const sentence = ({ ID, Filter, Expiration, AbortIncompleteMultipartUpload }: LifecycleRule) => {
  const days = Expiration?.Days ?? AbortIncompleteMultipartUpload?.DaysAfterInitiation;
  const what = Expiration
    ? `${Filter?.Prefix ?? ''}* is deleted`
    : 'unfinished uploads are cleared';
  return `${ID}: ${what} after ${days} ${days === 1 ? 'day' : 'days'}`;
};

async function main({ json }: { json: boolean }): Promise<void> {
  const { STORE, S3_BUCKET: bucket } = readConfig(process.env);
  if (STORE !== 's3') {
    const why = 'The store is a file system, which has no such rules: the sweeper alone deletes.';
    return console.log(json ? JSON.stringify({ rules: [] }) : why);
  }
  (await createS3Blobs({ bucket })).close(); // makes the bucket where it is missing
  const client = createS3Client({});
  const rules = await writeRules(client, bucket).finally(() => client.destroy());
  if (json) return console.log(JSON.stringify({ bucket, rules }));
  const ours = rules.filter(({ ID }) => ID?.startsWith(OURS));
  console.log([`Bucket ${bucket}`, ...ours.map(sentence)].join('\n'));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  new Command('lifecycle')
    .description(
      'Writes the rules by which the bucket deletes what was left behind. STORE, S3_BUCKET and the settings of the AWS SDK say where.',
    )
    .option('--json', 'answer in JSON', false)
    .action(main)
    .parseAsync()
    .catch((error) => {
      console.error(error instanceof ConfigError ? error.message : error);
      process.exitCode = 1;
    });
}
