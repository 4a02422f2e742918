/**
 * The only formulas that derive numbers from a decision's probabilities (docs/rulings.md 31), used for our engine and
 * for vendors that send probabilities alone. Probabilities are finite, not negative, and sum to 1.
 */

/** The index of the largest probability; the first where several are equal. */
export function modeOf(probabilities: readonly number[]): number {
  let mode = 0;
  for (const [index, probability] of probabilities.entries()) {
    if (probability > (probabilities[mode] ?? 0)) mode = index;
  }
  return mode;
}

/** How far the largest probability p of n options is above chance: (n·p − 1) / (n − 1), from 0 to 1; 1 for one option. */
export function choiceConfidence(probabilities: readonly number[]): number {
  const options = probabilities.length;
  if (options < 2) return 1;
  const largest = probabilities[modeOf(probabilities)] ?? 0;
  return clamp((options * largest - 1) / (options - 1));
}

/** The expected level, from 0 to levels − 1: Σ i·pᵢ, lowest level first. */
export function expectedLevel(probabilities: readonly number[]): number {
  const expected = probabilities.reduce((sum, probability, level) => sum + level * probability, 0);
  return Math.min(Math.max(expected, 0), Math.max(probabilities.length - 1, 0));
}

/** How near the levels' probabilities are to the mode: 1 − Σ pᵢ·|i − mode| ÷ mean of |i − (n−1)/2|, from 0 to 1. */
export function scoreConfidence(probabilities: readonly number[]): number {
  const levels = probabilities.length;
  if (levels < 2) return 1;
  const mode = modeOf(probabilities);
  const middle = (levels - 1) / 2;
  const distance = probabilities.reduce((sum, probability, level) => sum + probability * Math.abs(level - mode), 0);
  const usual = probabilities.reduce((sum, _probability, level) => sum + Math.abs(level - middle), 0) / levels;
  return clamp(1 - distance / usual);
}

function clamp(value: number): number {
  return Math.min(Math.max(value, 0), 1);
}
