import { readStoredZip } from './archive.ts';
import type { OutfitDescription } from './contract.ts';
import { clientError } from './error.ts';
import type { Client, SeparatedGarments } from './interface.ts';
import { formPayload, jsonPayload } from './payload.ts';
import { requestIdOf } from './problem.ts';
import { checkMediaType, hasSignature, readJson } from './response.ts';
import type { Transport } from './transport.ts';

async function readGarments(response: Response): Promise<SeparatedGarments> {
  return { ...(await readJson<OutfitDescription>(response)), images: [] };
}

/** Reads an archive: the description, and the cut-outs in its order. @throws SelvageError `damaged-answer` */
async function readGarmentArchive(response: Response): Promise<SeparatedGarments> {
  checkMediaType(response, ['application/zip']);
  const requestId = requestIdOf(response);
  const files = readStoredZip(new Uint8Array(await response.arrayBuffer()), requestId);
  const json = new TextDecoder().decode(files.get('garments.json'));
  const description = parseDescription(json, requestId);
  const images = description.garments.map(({ cutout }) => {
    const image = files.get(cutout?.file ?? '');
    if (image && hasSignature(image, 'image/png')) return image;
    throw clientError('damaged-answer', 'A cut-out of a garment is missing', { requestId });
  });
  return { ...description, images, requestId };
}

function parseDescription(json: string, requestId: string): OutfitDescription {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw clientError('damaged-answer', 'The archive has no description', { requestId, cause });
  }
}

/** The methods of the client that name garments. */
export function taxonomyClient({
  requestJson,
  request,
}: Transport): Pick<Client, 'classify' | 'separateGarments' | 'taxonomyOptions'> {
  return {
    taxonomyOptions: (query, options) =>
      requestJson({ method: 'GET', path: '/taxonomy/v1/options', query: { ...query } }, options),
    separateGarments(image, { signal, timeoutMillis, cutouts, quality, options } = {}) {
      const body = formPayload({ image, cutouts, quality, options });
      const read = cutouts ? readGarmentArchive : readGarments;
      const path = '/taxonomy/v1/garments';
      return request({ method: 'POST', path, body }, read, { signal, timeoutMillis });
    },
    classify({ image, attributes, options: classifyOptions }, options) {
      const fields = { attributes, options: classifyOptions };
      const body = image ? formPayload({ image, ...fields }) : jsonPayload(fields);
      return requestJson({ method: 'POST', path: '/taxonomy/v1/taxonomy', body }, options);
    },
  };
}
