import { perform } from "../answer.ts";
import { type Ask, BadRequest } from "../ask.ts";
import { readChoices } from "../judge/read-choices.ts";
import { type JudgedQuestion, judge as judgePrompt } from "../judge/read-question.ts";
import { softmax } from "../judge/score.ts";
import { constrainedDistribution, type TokenLogprob, tokenDistribution } from "../judge/token-distribution.ts";
import type { Performance } from "../performance.ts";
import { isObject, objectsOf, textOf } from "../protocols/read.ts";
import { echo } from "./echo.ts";

const LABEL_MASS = 0.98;
const MOST_TOP_LOGPROBS = 20;

/** Answers a question with options by one label, with the log-probabilities of all labels; repeats any other text. */
export function judge(ask: Ask): Performance {
  const top = readTop(ask);
  const texts = userTexts(ask);
  const choices = ask.model.params.has("constrained") ? readChoices(ask.body) : null;
  const question = judgePrompt(texts.at(-1) ?? "", texts.slice(0, -1).join("\n\n"), choices);
  if (question === null) return echo(ask);
  const tokens = distribution(ask, question, choices);
  const [chosen] = tokens;
  if (chosen === undefined) return echo(ask);
  const shown = ask.model.params.text("logprobs", "") === "none" ? "none" : { chosen, top: tokens.slice(0, top) };
  return perform(ask, {
    blocks: [{ type: "text", pieces: [chosen.token], logprobs: shown === "none" ? "none" : [shown] }],
    finish: ask.output_cap === 1 ? "length" : "stop",
  });
}

/** Applies the biases in the model's name to the judge's opinion, and spreads the result over tokens. */
function distribution({ model }: Ask, question: JudgedQuestion, choices: readonly string[] | null): TokenLogprob[] {
  const { params } = model;
  const scale = params.decimal("scale", 1);
  const bias = params.decimal("bias", 0);
  const label_bias = params.decimal("label_bias", 0);
  const favoured = [...question.labels].sort(firstLabel)[0];
  const logits = question.logits.map(
    (logit, index) => logit * scale + (index === 0 ? bias : 0) + (question.labels[index] === favoured ? label_bias : 0),
  );
  const probabilities = softmax(logits);
  if (choices !== null) return constrainedDistribution(question.labels, probabilities);
  return tokenDistribution(question.labels, probabilities, params.decimal("label_mass", LABEL_MASS));
}

/** The label that a label bias is for: yes (true) before no (false), else the first by number or alphabet. */
function firstLabel(a: string, b: string): number {
  const positive = /^(?:yes|true)$/i;
  if (positive.test(a) !== positive.test(b)) return positive.test(a) ? -1 : 1;
  return a.localeCompare(b, "en", { numeric: true });
}

/**
 * How many tokens are shown. More than 20 are refused, as by OpenAI's API; a constrained model shows as many as are
 * asked for.
 */
function readTop({ body, model }: Ask): number {
  const { top_logprobs } = body;
  const most = model.params.has("constrained") ? Number.MAX_SAFE_INTEGER : MOST_TOP_LOGPROBS;
  if (top_logprobs === undefined || top_logprobs === null) return probabilitiesAsked(body.n_probs);
  if (body.logprobs !== true)
    throw new BadRequest("'top_logprobs' may be set only where 'logprobs' is true.", "top_logprobs");
  if (typeof top_logprobs !== "number" || !Number.isInteger(top_logprobs) || top_logprobs < 0 || top_logprobs > most)
    throw new BadRequest(`'top_logprobs' must be a whole number from 0 to ${most}.`, "top_logprobs");
  return Math.min(Math.max(top_logprobs, probabilitiesAsked(body.n_probs)), model.params.count("top", most));
}

/** The number in llama.cpp's `n_probs`, which has no limit of 20. */
function probabilitiesAsked(n_probs: unknown): number {
  return typeof n_probs === "number" && Number.isInteger(n_probs) && n_probs > 0 ? n_probs : 0;
}

/** The texts of user messages, oldest first, without system texts; else the last message's text. */
function userTexts(ask: Ask): readonly string[] {
  const users = objectsOf(ask.body.messages).filter(({ role }) => role === "user");
  return users.length === 0 ? [ask.last_user_text] : users.map(({ content }) => contentText(content));
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsOf(content)
    .map((part) => (isObject(part) ? textOf(part.text) : ""))
    .join("\n");
}
