import type { Ask } from "../../ask.ts";
import type { TokenLogprob } from "../../judge/token-distribution.ts";
import type { Block, PieceLogprobs } from "../../performance.ts";

/** The log-probability of every piece of text, for models that do not compute log-probabilities. */
const LOGPROB = -0.25;

/** The log-probabilities of a text, one entry for each piece; null for a piece without log-probabilities. */
export function pieceLogprobs({ pieces, logprobs }: Extract<Block, { type: "text" }>): (PieceLogprobs | null)[] {
  return pieces.map((token, index) => {
    if (logprobs === "none") return null;
    const only = { token, logprob: LOGPROB };
    return logprobs?.[index] ?? { chosen: only, top: [only] };
  });
}

/** The `logprobs` of a choice or a chunk, if requested and known. */
export function wireLogprobs(ask: Ask, pieces: readonly (PieceLogprobs | null)[]): object | null {
  if (ask.body.logprobs !== true) return null;
  const told = pieces.filter((piece) => piece !== null);
  if (told.length === 0 && pieces.length > 0) return null;
  const shown = typeof ask.body.top_logprobs === "number" ? ask.body.top_logprobs : 0;
  const most = Math.max(shown, typeof ask.body.n_probs === "number" ? ask.body.n_probs : 0);
  const content = told.map(({ chosen, top }) => ({
    ...wireToken(chosen),
    top_logprobs: top.slice(0, most).map(wireToken),
  }));
  return { content, refusal: null };
}

function wireToken({ token, logprob }: TokenLogprob): object {
  return { token, logprob, bytes: [...Buffer.from(token)] };
}
