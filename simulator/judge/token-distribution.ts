/** A token that might have come next, with its log-probability in nats. */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
}

/** Tokens that are no labels, with their shares of the probability that is left beside the labels. */
const OFF_LABEL: readonly (readonly [token: string, share: number])[] = [
  ["The", 0.3],
  ["Answer", 0.2],
  ["**", 0.15],
  ["Based", 0.1],
  ["\n", 0.1],
  ["Option", 0.08],
  ["It", 0.04],
  [" ", 0.03],
];

/**
 * Spreads the labels' probabilities over tokens as a tokenizer would: each label over its spellings, and the remaining
 * probability over words that are no label. Likeliest first; probabilities sum to 1.
 */
export function tokenDistribution(
  labels: readonly string[],
  probabilities: readonly number[],
  label_mass: number,
): TokenLogprob[] {
  const tokens = labels.flatMap((label, index) =>
    spellings(label).map(([token, share]) => entry(token, (probabilities[index] ?? 0) * label_mass * share)),
  );
  if (label_mass < 1) for (const [token, share] of OFF_LABEL) tokens.push(entry(token, (1 - label_mass) * share));
  return tokens.sort((a, b) => b.logprob - a.logprob);
}

/** A distribution over exactly these tokens, as for a constrained output. */
export function constrainedDistribution(labels: readonly string[], probabilities: readonly number[]): TokenLogprob[] {
  return labels.map((label, index) => entry(label, probabilities[index] ?? 0)).sort((a, b) => b.logprob - a.logprob);
}

/** The lowest log-probability in answers; OpenAI's API reports it for nearly impossible tokens. */
const LEAST_LOGPROB = -9999;

function entry(token: string, probability: number): TokenLogprob {
  return { token, logprob: probability > 0 ? Math.log(probability) : LEAST_LOGPROB };
}

/**
 * A label's tokens and how its probability is shared among them: a space before it, and for words the letters' case.
 */
function spellings(label: string): readonly (readonly [token: string, share: number])[] {
  if (!/^\p{L}{2,}$/u.test(label) || label === label.toUpperCase())
    return [
      [label, 0.9],
      [` ${label}`, 0.1],
    ];
  const lower = label.toLowerCase();
  const title = lower.slice(0, 1).toUpperCase() + lower.slice(1);
  return [
    [title, 0.65],
    [lower, 0.2],
    [` ${title}`, 0.1],
    [` ${lower}`, 0.05],
  ];
}
