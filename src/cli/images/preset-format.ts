import { mergePreset } from '../../output/request.ts';
import { connect, type ServerOptions } from '../connection/connect.ts';
import { fixedFormat, type ImageRequest } from './image-request.ts';

/**
 * Adds to a request the format of its preset on the server: output files are named by it.
 * @throws SelvageError if there is no such preset
 */
export async function withPresetFormat(
  request: ImageRequest,
  options: ServerOptions & { local?: true },
): Promise<ImageRequest> {
  const { preset } = request;
  if (preset === undefined || request.format !== undefined || options.local) return request;
  const stored = await connect(options).presets.get(preset);
  const format = fixedFormat(mergePreset(stored.options, request));
  return format === undefined ? request : { ...request, format };
}
