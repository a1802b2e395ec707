import { expect, test } from 'vitest';
import { compareRows, type Row, type Tolerances } from '../../bench/gate-verdict.ts';

const tolerances: Tolerances = {
  mIoU: { better: 'higher', by: 0.003 },
  MAE: { better: 'lower', by: 0.002 },
  right: { better: 'higher', by: { photos: 1 } },
};
const row = (kind: string, figures: Row['figures'], photos = 25) => ({ kind, photos, figures });
const worse = (shipped: Row[], candidate: Row[]) =>
  compareRows(shipped, candidate, tolerances)
    .filter(({ isWorse }) => isWorse)
    .map(({ kind, figure }) => `${kind} ${figure}`);

test.each([
  { what: 'the same figures', figures: { mIoU: 0.95, MAE: 0.02 }, wanted: [] },
  { what: 'better figures', figures: { mIoU: 0.99, MAE: 0.001 }, wanted: [] },
  { what: 'a tolerated loss', figures: { mIoU: 0.947, MAE: 0.022 }, wanted: [] },
  { what: 'a figure too low', figures: { mIoU: 0.9465, MAE: 0.02 }, wanted: ['street mIoU'] },
  { what: 'an error too high', figures: { mIoU: 0.95, MAE: 0.0225 }, wanted: ['street MAE'] },
  { what: 'NaN', figures: { mIoU: Number.NaN, MAE: 0.02 }, wanted: ['street mIoU'] },
  { what: 'a missing figure', figures: { mIoU: 0.95 }, wanted: ['street MAE'] },
])('names what is worse: $what', ({ figures, wanted }) => {
  const shipped = row('street', { mIoU: 0.95, MAE: 0.02 });
  expect(worse([shipped], [row('street', figures)])).toEqual(wanted);
});

test('one kind does not make up for another, and a kind without figures counts as worse', () => {
  const shipped = ['street', 'flat', 'fur'].map((kind) => row(kind, { mIoU: 0.9 }));
  const candidate = [row('street', { mIoU: 0.99 }), row('flat', { mIoU: 0.89 })];
  expect(worse(shipped, candidate)).toEqual(['flat mIoU', 'fur mIoU']);
});

test('a tolerance in photos is a share of the photos of the kind', () => {
  const shipped = [row('hat', { right: 1 }, 5), row('all', { right: 1 }, 50)];
  const found = (hat: number, all: number) =>
    worse(shipped, [row('hat', { right: hat }, 5), row('all', { right: all }, 50)]);
  expect(found(0.8, 0.98)).toEqual([]);
  expect(found(0.6, 0.96)).toEqual(['hat right', 'all right']);
});

test('the mean of few photos may vary more', () => {
  const measured = (photos: number, mIoU: number) => [row('fur', { mIoU }, photos)];
  expect(worse(measured(1, 0.97), measured(1, 0.9555))).toEqual([]);
  expect(worse(measured(1, 0.97), measured(1, 0.9545))).toEqual(['fur mIoU']);
  expect(worse(measured(100, 0.97), measured(100, 0.9665))).toEqual(['fur mIoU']);
});
