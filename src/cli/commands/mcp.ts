import { Command } from 'commander';
import type { McpOptions } from '../mcp/serve.ts';
import { parseWithin } from './arguments.ts';

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
      parseWithin(0, 65_535),
    )
    .addHelpText('after', EXAMPLES)
    .action(async (options: McpOptions) => {
      const { serveMcp } = await import('../mcp/serve.ts');
      await serveMcp(options, signal);
    });
