import { readStoredZip } from './archive.ts';
import type { Calls } from './calls.ts';
import type { OutfitDescription } from './contract.ts';
import { clientError } from './error.ts';
import type { Client, SeparatedGarments } from './interface.ts';
import { formPayload, jsonPayload } from './payload.ts';
import { requestIdOf } from './problem.ts';
import { checkMediaType, hasSignature, parseJson, readJson } from './response.ts';

async function readGarments(response: Response): Promise<SeparatedGarments> {
  return { ...(await readJson<OutfitDescription>(response)), images: [] };
}

/** Reads an archive: the description, and the cut-outs in its order. @throws SelvageError `damaged-answer` */
async function readGarmentArchive(response: Response): Promise<SeparatedGarments> {
  checkMediaType(response, ['application/zip']);
  const requestId = requestIdOf(response);
  const files = readStoredZip(new Uint8Array(await response.arrayBuffer()), requestId);
  const json = new TextDecoder().decode(files.get('garments.json'));
  const missing = 'The archive has no description';
  const description = parseJson<OutfitDescription>(json, missing, requestId);
  const images = description.garments.map(({ cutout }) => {
    const image = files.get(cutout?.file ?? '');
    if (image && hasSignature(image, 'image/png')) return image;
    throw clientError('damaged-answer', 'A cut-out of a garment is missing', { requestId });
  });
  return { ...description, images, requestId };
}

/** The methods of the client that name garments. */
export function taxonomyClient({
  get,
  post,
  request,
}: Calls): Pick<Client, 'classify' | 'separateGarments' | 'taxonomyOptions'> {
  return {
    taxonomyOptions: (query, options) => get('/taxonomy/v1/options', options, { ...query }),
    separateGarments(image, { signal, timeoutMillis, cutouts, quality, options } = {}) {
      const body = formPayload({ image, cutouts, quality, options });
      const read = cutouts ? readGarmentArchive : readGarments;
      const path = '/taxonomy/v1/garments';
      return request({ method: 'POST', path, body }, read, { signal, timeoutMillis });
    },
    classify({ image, attributes, options: classifyOptions }, options) {
      const fields = { attributes, options: classifyOptions };
      const body = image ? formPayload({ image, ...fields }) : jsonPayload(fields);
      return post('/taxonomy/v1/taxonomy', options, body);
    },
  };
}
