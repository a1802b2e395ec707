import { Command } from 'commander';
import type {
  Client,
  Source,
  SourceFailures,
  SourcePlace,
} from '../../../packages/client/src/client.ts';
import { connect, type ServerOptions } from '../connection/connect.ts';
import { type ImageOptions, withImageOptions } from '../images/image-options.ts';
import { readImageOptions } from '../images/image-request.ts';
import { CliError, EXIT, type Output, print, table, usageError } from '../terminal/output.ts';

type SourceOptions = ServerOptions & Output;

const EXAMPLES = `
Examples:
  $ selvage sources list
  $ selvage sources start shop --background white --format jpeg
  $ selvage sources status shop --json
  $ selvage sources scan shop
  $ selvage sources failures shop
  $ selvage sources confirm shop --topic arn:aws:sns:eu-central-1:123456789012:photos`;

const placeText = ({ kind, bucket = '', prefix = '' }: SourcePlace): string =>
  kind === 's3' ? `s3://${bucket}/${prefix}` : 'a folder of the server';

function formatSource(source: Source): string {
  const { id, from, to, status, counts, failures, listedAt, problem } = source;
  const { found, pending, succeeded, failed, rejected } = counts;
  const { waiting, givenUp, unlisted } = failures;
  return [
    `${id}  ${status}`,
    `from     ${placeText(from)}`,
    `to       ${placeText(to)}`,
    `objects  ${found} found: ${succeeded} succeeded, ${failed} failed, ${rejected} rejected, ${pending} pending`,
    ...(waiting + givenUp + unlisted > 0
      ? [
          `failing  ${waiting} tried again, ${givenUp} given up, ${unlisted} folders not listed: selvage sources failures ${id}`,
        ]
      : []),
    ...(listedAt ? [`listed   ${listedAt}`] : []),
    ...(problem ? [`problem  ${problem.detail} (since ${problem.since})`] : []),
  ].join('\n');
}

const rowOf = ({ id, status, counts, problem }: Source): string[] => [
  id,
  status,
  String(counts.pending),
  String(counts.succeeded),
  String(counts.failed + counts.rejected),
  problem?.detail ?? '',
];

const failureRow = (failure: SourceFailures['failures'][number]): string[] => [
  failure.name,
  failure.reason,
  String(failure.attempts),
  failure.retryAt ?? 'given up',
];

/** Reads all pages. */
async function readFailures(
  { sources }: Pick<Client, 'sources'>,
  id: string,
  signal: AbortSignal,
): Promise<Pick<SourceFailures, 'failures' | 'unlisted'>> {
  const failures: SourceFailures['failures'] = [];
  for (let after = ''; ; after = failures.at(-1)?.name ?? '') {
    const page = await sources.failures(id, { limit: 1000, after }, { signal });
    failures.push(...page.failures);
    if (!page.links) return { failures, unlisted: page.unlisted };
  }
}

const HEADINGS = ['id', 'status', 'pending', 'succeeded', 'failed', 'problem'];

/** Where AWS has its SNS, by the topic; not from the message. */
function snsEndpoint(topicArn: string): string {
  const [, partition, , region] = topicArn.split(':');
  const domain = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  return process.env.AWS_ENDPOINT_URL_SNS ?? `https://sns.${region}.${domain}`;
}

/** Confirms to SNS that a topic may send its events to a source. @throws CliError */
async function confirmTopic({ id, subscription }: Source, topic: string, signal: AbortSignal) {
  if (subscription?.topicArn !== topic) {
    const asked = subscription?.topicArn ?? 'none';
    throw usageError(
      `This topic has not asked to be confirmed for ${id}; the last one was ${asked}`,
    );
  }
  const body = new URLSearchParams({
    Action: 'ConfirmSubscription',
    Version: '2010-03-31',
    TopicArn: topic,
    Token: subscription.token,
  });
  const response = await fetch(snsEndpoint(topic), { method: 'POST', body, signal });
  const text = await response.text();
  if (response.ok) return;
  const [, reason = 'no reason given'] = /<Message>([^<]{1,500})</.exec(text) ?? [];
  throw new CliError(`SNS has refused it (${response.status}): ${reason}`, EXIT.failed);
}

/** `sources list|status|start|pause|resume|scan|failures|confirm`: folders and buckets that the server watches. */
export function sourcesCommand(signal: AbortSignal): Command {
  const sources = new Command('sources')
    .description('folders and buckets of the server whose new photos are cut out')
    .addHelpText('after', EXAMPLES);

  const show = (options: Output, { requestId: _, ...source }: Source & { requestId?: string }) =>
    print(options, source, formatSource(source));

  sources
    .command('list')
    .description('list your sources')
    .action(async (options: SourceOptions) => {
      const all = await connect(options).sources.list({ signal });
      print(options, all, table(HEADINGS, all.map(rowOf)));
    });

  type Call = (api: Client['sources'], id: string) => Promise<Source>;
  const ofSource = (name: string, text: string, call: Call): Command =>
    sources
      .command(name)
      .description(text)
      .argument('<id>', 'id of the source')
      .action(async (id: string, options: SourceOptions) =>
        show(options, await call(connect(options).sources, id)),
      );

  ofSource('status', 'show what a source has done, and why it does nothing now', (api, id) =>
    api.get(id, { signal }),
  );

  withImageOptions(sources.command('start'))
    .description('start a source with these options; it uses the quota of your key')
    .argument('<id>', 'id of the source')
    .action(async (id: string, options: SourceOptions & ImageOptions) => {
      const { backgroundImage, ...imageOptions } = await readImageOptions(options);
      if (backgroundImage) throw usageError('A source takes a background by its URL only');
      show(options, await connect(options).sources.put(id, { options: imageOptions }, { signal }));
    });

  ofSource('pause', 'take no more objects until resume', (api, id) =>
    api.put(id, { paused: true }, { signal }),
  );
  ofSource('resume', 'go on, with the options of before', (api, id) =>
    api.put(id, { paused: false }, { signal }),
  );
  ofSource('scan', 'list the objects of a source now, and try again those that failed', (api, id) =>
    api.scan(id, { signal }),
  );

  sources
    .command('failures')
    .description('list the objects of a source that fail while others do not, with reasons')
    .argument('<id>', 'id of the source')
    .action(async (id: string, options: SourceOptions) => {
      const found = await readFailures(connect(options), id, signal);
      const rows = [
        ...found.unlisted.map(({ name, reason }) => [name, reason, '', 'next listing']),
        ...found.failures.map(failureRow),
      ];
      const text = rows.length > 0 ? table(['name', 'reason', 'tries', 'again'], rows) : 'none';
      print(options, found, text);
    });

  sources
    .command('confirm')
    .description('confirm a topic of SNS that sends events to a source, once it has asked')
    .argument('<id>', 'id of the source')
    .requiredOption('--topic <arn>', 'the topic')
    .action(async (id: string, { topic, ...options }: SourceOptions & { topic: string }) => {
      await confirmTopic(await connect(options).sources.get(id, { signal }), topic, signal);
      print(options, { id, topic }, `${topic} sends its events to ${id}`);
    });

  return sources;
}
