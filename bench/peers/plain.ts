import { InferenceSession, Tensor } from 'onnxruntime-node';
import sharp from 'sharp';
import { toTensor } from '../../src/imaging/picture.ts';
import { serveCutOuts } from './cut-out-server.ts';

/** A simple pipeline of a small network and two libraries with their defaults. */
const SIDE = 320;
const COLOURS = {
  scale: 'divide-max',
  mean: [0.485, 0.456, 0.406],
  std: [0.229, 0.224, 0.225],
} as const;

const [weights = ''] = process.argv.slice(2);
const session = await InferenceSession.create(weights);
const [input = ''] = session.inputNames;
const [output = ''] = session.outputNames;

async function runNetwork(square: Buffer): Promise<Uint8Array> {
  const tensor = toTensor({ data: square, width: SIDE, height: SIDE }, COLOURS);
  const outputs = await session.run({ [input]: new Tensor('float32', tensor, [1, 3, SIDE, SIDE]) });
  const raw = outputs[output]?.data;
  if (!(raw instanceof Float32Array)) throw new Error('The network returned no floats');
  const min = raw.reduce((a, b) => Math.min(a, b));
  const max = raw.reduce((a, b) => Math.max(a, b));
  return Uint8Array.from(raw, (value) => (255 * (value - min)) / (max - min));
}

serveCutOuts(async (image) => {
  const { data, info } = await sharp(image)
    .autoOrient()
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const photo = () => sharp(data, { raw: { width, height, channels: 3 } });
  const mask = await runNetwork(await photo().resize(SIDE, SIDE, { fit: 'fill' }).raw().toBuffer());
  const alpha = await sharp(mask, { raw: { width: SIDE, height: SIDE, channels: 1 } })
    .resize(width, height, { fit: 'fill' })
    .extractChannel(0)
    .raw()
    .toBuffer();
  return photo()
    .joinChannel(alpha, { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer();
});
