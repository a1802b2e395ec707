import { inspectFeed } from '../../../feed-formats/inspect.ts';
import type { Call, Reply } from '../../../http/route.ts';
import { toParseOptions } from '../../../intake/feeds/feeds.ts';
import type { InspectQuery } from './request.ts';
import { plainBody } from './upload.ts';

/** Says what is recognised in a feed that is sent; nothing is stored. */
export async function inspect(call: Call<InspectQuery>): Promise<Reply> {
  const { stream, mediaType, charset } = plainBody(call.bodyStream());
  const { format, mapping, fileName } = call.query;
  const type = charset ? `${mediaType}; charset=${charset}` : mediaType;
  const options = toParseOptions({ format, mapping }, { mediaType: type, fileName });
  return { status: 200, body: await inspectFeed(stream, options) };
}
