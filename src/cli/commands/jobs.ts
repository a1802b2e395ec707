import { Command } from 'commander';
import type { Operation } from '../../../packages/client/src/client.ts';
import { factsText } from '../api/facts.ts';
import { connect, type ServerOptions } from '../connection/connect.ts';
import { type ImageOptions, withImageOptions } from '../images/image-options.ts';
import { readImageOptions } from '../images/image-request.ts';
import { readInput, saveBytes } from '../terminal/files.ts';
import { EXIT, type Output, print, usageError } from '../terminal/output.ts';
import { operationsOption } from './arguments.ts';

interface CreateOptions extends ImageOptions, ServerOptions, Output {
  operations: Operation[];
  webhook?: string;
  wait?: true;
}

interface ResultOptions extends ServerOptions, Output {
  output?: string;
  force?: true;
}

/** A job may wait for those of others. */
const WAIT_MILLIS = 3_600_000;

const readPhoto = async (photo: string) =>
  /^https?:\/\//.test(photo) ? { imageUrl: photo } : { image: await readInput(photo) };

async function createJob(photo: string, given: CreateOptions, signal: AbortSignal): Promise<void> {
  const { operations, webhook, wait } = given;
  const { backgroundImage, ...options } = await readImageOptions(given);
  const { jobs } = connect(given);
  const request = {
    ...(await readPhoto(photo)),
    operations,
    options,
    ...(backgroundImage && { backgroundImage }),
    ...(webhook && { webhook: { url: webhook } }),
  };
  const created = await jobs.create(request, { signal });
  const latest = wait
    ? await jobs.wait(created.id, { signal, timeoutMillis: WAIT_MILLIS })
    : created;
  const { requestId: _, ...job } = latest;
  print(given, job, factsText({ ...job }, undefined));
  if (wait && job.status !== 'succeeded') process.exitCode = EXIT.failed;
}

async function saveResult(id: string, options: ResultOptions, signal: AbortSignal): Promise<void> {
  const { output, force = false } = options;
  const { image, requestId: _, ...about } = await connect(options).jobs.result(id, { signal });
  if (output === undefined) {
    if (process.stdout.isTTY) throw usageError('Standard output is a terminal: add -o <file>');
    process.stdout.write(image);
    return;
  }
  await saveBytes(output, image, { force });
  print(options, { output, bytes: image.length, ...about }, output);
}

/** `jobs create|result`, which are more than a call of the API. */
export const jobCommands = (signal: AbortSignal): Command[] => [
  withImageOptions(new Command('create'))
    .description('submit a photo, or the address of one')
    .argument('<photo>', 'a file, or a URL that the server fetches')
    .addOption(operationsOption())
    .option('--webhook <url>', 'receives an event at the end')
    .option('--wait', 'until it has ended')
    .action((photo: string, options: CreateOptions) => createJob(photo, options, signal)),
  new Command('result')
    .description('download the cut-out of a job')
    .argument('<id>', 'the job')
    .option('-o, --output <file>', 'output file; standard output by default')
    .option('--force', 'replace an existing file')
    .action((id: string, options: ResultOptions) => saveResult(id, options, signal)),
];
