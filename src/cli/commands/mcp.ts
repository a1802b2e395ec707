import { Command, InvalidArgumentError } from 'commander';
import type { McpOptions } from '../mcp/serve.ts';

const MAX_PORT = 65_535;

function parsePort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= MAX_PORT) return port;
  throw new InvalidArgumentError(`It must be 0 to ${MAX_PORT}.`);
}

const EXAMPLES = `
Examples:
  $ selvage mcp --folder photos/
  $ selvage mcp --http 8090`;

/** `mcp`: tools for language models. */
export const mcpCommand = (signal: AbortSignal): Command =>
  new Command('mcp')
    .description(
      'serve cut-outs, classes and outfits to language models by the Model Context Protocol',
    )
    .option('--folder <folder>', 'where photos are read and cut-outs written; not with --http', '.')
    .option(
      '--http <port>',
      'on this port of the loopback instead of standard input; each request carries its own key',
      parsePort,
    )
    .addHelpText('after', EXAMPLES)
    .action(async (options: McpOptions) => {
      const { serveMcp } = await import('../mcp/serve.ts');
      await serveMcp(options, signal);
    });
