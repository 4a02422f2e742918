import type { AssembledAnswer } from "../../src/core/answer/answer.ts";
import type { GenerationRequest } from "../../src/core/answer/generation.ts";
import type { TokenLogprob } from "../../src/core/answer/stream-event.ts";

/** One answer as a prompt lists it. */
export interface ListedLine {
  readonly label: string;
  readonly text: string;
  readonly place: number;
}

export interface JudgeTraits {
  /** The log-score of a listed answer, usually from the answer's text alone. */
  readonly score: (line: ListedLine, prompt: string) => number;
  /** Log-probability that is added to a label, whatever its answer. */
  readonly label_bias?: (label: string) => number;
  /** Log-probability that is added to a place in the list, whatever its answer. */
  readonly place_bias?: (place: number) => number;
  /** The share of probability on tokens that are not labels. */
  readonly junk?: number;
  /** How a label's probability is spread over its spellings. */
  readonly spell?: (label: string) => readonly (readonly [token: string, share: number])[];
  /** How many tokens are shown. */
  readonly shown?: number;
}

/** A chat model with given preferences, which reads only the prompt's list of answers. */
export function scriptedJudge(traits: JudgeTraits) {
  const requests: GenerationRequest[] = [];
  const ask = (request: GenerationRequest): Promise<AssembledAnswer> => {
    requests.push(request);
    return Promise.resolve(answerWith(tokensFor(request, traits)));
  };
  return { ask, requests };
}

export function promptOf(request: GenerationRequest): string {
  const user = request.messages.find(({ role }) => role === "user");
  return (user?.content ?? []).map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("");
}

export function linesOf(prompt: string): ListedLine[] {
  const listed = prompt.slice(prompt.lastIndexOf("\nAnswers:\n") + "\nAnswers:\n".length).split("\n\n")[0] ?? "";
  return listed.split("\n").map((line, place) => {
    const colon = line.indexOf(": ");
    return { label: line.slice(0, colon), text: line.slice(colon + 2), place };
  });
}

function tokensFor(request: GenerationRequest, traits: JudgeTraits): [string, number][] {
  const prompt = promptOf(request);
  const lines = linesOf(prompt);
  const { label_bias = () => 0, place_bias = () => 0, junk = 0.01, spell = (label) => [[label, 1]] } = traits;
  const scores = lines.map((line) => traits.score(line, prompt) + label_bias(line.label) + place_bias(line.place));
  const largest = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - largest));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const tokens = lines.flatMap(({ label }, index) =>
    spell(label).map(([token, share]): [string, number] => [
      token,
      Math.log(((weights[index] ?? 0) / sum) * share * (1 - junk)),
    ]),
  );
  const all: [string, number][] = junk > 0 ? [...tokens, ["The", Math.log(junk)]] : tokens;
  return all.toSorted((a, b) => b[1] - a[1]).slice(0, traits.shown ?? 20);
}

/** A one-token answer that shows these tokens with their log-probabilities. */
export function answerWith(tokens: readonly (readonly [string, number])[]): AssembledAnswer {
  const shown = tokens.map(([token, logprob]) => ({ token, logprob, bytes: null }));
  const [drawn = { token: "", logprob: 0, bytes: null }] = shown;
  return answerOf(drawn.token, [{ ...drawn, top_logprobs: shown }]);
}

export function answerOf(text: string, logprobs?: readonly TokenLogprob[]): AssembledAnswer {
  return {
    id: null,
    created: null,
    blocks: [{ kind: "text", text, ...(logprobs && { logprobs }) }],
    reason: "length",
    stop_sequence: null,
    raw_reason: null,
    usage: null,
  };
}
