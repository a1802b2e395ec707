/** Returns the value that a share `q` of all values are below; NaN if there are none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

/** Returns the median, the upper one of an even number of values; NaN if there are none. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Returns the mean; 0 if there are no values. */
export const mean = (values: readonly number[]): number =>
  values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);

const CALIBRATION_BINS = 15;

/** Returns the expected calibration error: the mean gap between confidence and accuracy, over 15 equal bins. */
export function calibrationError(
  predictions: readonly { confidence: number; isRight: boolean }[],
): number {
  const bins = Array.from({ length: CALIBRATION_BINS }, (_, bin) =>
    predictions.filter(
      ({ confidence }) =>
        Math.min(CALIBRATION_BINS - 1, Math.floor(confidence * CALIBRATION_BINS)) === bin,
    ),
  );
  const gap = (bin: typeof predictions) =>
    Math.abs(
      mean(bin.map(({ confidence }) => confidence)) -
        mean(bin.map(({ isRight }) => (isRight ? 1 : 0))),
    );
  return bins.reduce((sum, bin) => sum + (bin.length / predictions.length) * gap(bin), 0);
}
