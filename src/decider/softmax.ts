/** log Σ exp(x), without overflow. */
export function logSumExp(values: readonly number[]): number {
  const largest = Math.max(...values);
  if (!Number.isFinite(largest)) return largest;
  return largest + Math.log(values.reduce((sum, value) => sum + Math.exp(value - largest), 0));
}

/**
 * Probabilities that sum to 1, from log-scores, which need not be normalised and are divided by the temperature first.
 */
export function softmax(log_scores: readonly number[], temperature = 1): number[] {
  const scaled = log_scores.map((score) => score / temperature);
  const whole = logSumExp(scaled);
  return scaled.map((score) => Math.exp(score - whole));
}

/** The mean of several lists of log-scores, item by item. */
export function meanOf(readings: readonly (readonly number[])[]): number[] {
  const [first = []] = readings;
  return first.map((_score, index) => {
    const sum = readings.reduce((total, reading) => total + (reading[index] ?? 0), 0);
    return sum / readings.length;
  });
}
