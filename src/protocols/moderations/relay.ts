import type {
  ClientRequest,
  Exchange,
  ProtocolAdapter,
  SentBody,
  Target,
  VendorFailure,
  WholeAnswer,
  WholeBody,
} from "../../core/answer/exchange.ts";
import { textOf } from "../../core/answer/sent-body.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { isPlausibleCount, NO_USAGE, totalInput, type Usage } from "../../core/money/usage.ts";
import { failedAnswer, invalidAnswer } from "../shared/endings.ts";
import { parseOrNull } from "../shared/parse-json.ts";
import { plainAnswer, plainBody, plainExchange } from "../shared/plain-relay.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { bodyWriter, type WriteBody } from "../shared/rewrite-answer.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import type { ModerationRequest } from "./wire-request.ts";

/** Moderations (docs/rulings.md 213) by a vendor of chat completions, at its `/moderations`: the client's own body, and the vendor's own judgment. */
export const relayModerations: ProtocolAdapter = { prepare };

const KEPT = new Set(["model", "input"]);

function prepare(request: ClientRequest, target: Target): Exchange {
  const inputs = inputsIn(request.body as ModerationRequest);
  const is_free = target.price?.input_micro_per_mtok === 0;
  const read = { model_id: target.model.id, inputs, is_free };
  return Object.assign(plainExchange("/moderations", plainBody(request, target, KEPT)), {
    readWhole: (body: WholeBody) => readResults(body, read),
    readError: readRelayedError,
  });
}

/** How many judgments a request asks for: a list of parts is one input. */
function inputsIn({ input }: ModerationRequest): number {
  return Array.isArray(input) && typeof input[0] === "string" ? input.length : 1;
}

interface AskedModeration {
  readonly model_id: string;
  readonly inputs: number;
  /** Whether the model is free: most vendors then count nothing, and nothing is estimated. */
  readonly is_free: boolean;
}

/** Reads an answer, and writes it with its model's name and a usage. Never throws. */
function readResults(sent: WholeBody, { model_id, inputs, is_free }: AskedModeration): WholeAnswer {
  const text = textOf(sent);
  const answer = parseOrNull(text);
  if (!isObject(answer) || !Array.isArray(answer.results)) return failedAnswer(failureIn(answer));
  if (answer.results.length !== inputs) return failedAnswer(miscounted(answer.results.length, inputs));
  const write = bodyWriter({ sent, text, answer }, model_id);
  if (write === null) return failedAnswer(NO_RESULTS);
  const told = toldTokens(answer);
  const usage = told === null ? (is_free ? NO_USAGE : null) : { ...NO_USAGE, input_tokens: told };
  return plainAnswer(usage, null, (billed, cost) => writeWith(write, { answer, usage, billed, cost }));
}

/** A count of nothing for an input is no count (docs/rulings.md 145). */
function toldTokens({ usage }: JsonRecord): number | null {
  const told = isObject(usage) ? (usage.prompt_tokens ?? usage.input_tokens ?? usage.total_tokens) : null;
  return isPlausibleCount(told) && told > 0 ? told : null;
}

interface ShownModeration {
  readonly answer: JsonRecord;
  readonly usage: Usage | null;
  readonly billed: Usage | null;
  readonly cost: string | undefined;
}

/** The public shape has no usage: one is added for its cost (docs/rulings.md 169). A vendor's own stays. */
function writeWith(write: WriteBody, { answer, usage, billed, cost }: ShownModeration): SentBody {
  const counted = billed ?? (isObject(answer.usage) || cost === undefined ? null : usage);
  if (counted === null) return write(undefined, cost);
  const tokens = totalInput(counted);
  return write({ prompt_tokens: tokens, total_tokens: tokens }, cost);
}

const NO_RESULTS = invalidAnswer("The model service sent what is no judgment of the input.");

function failureIn(answer: unknown): VendorFailure {
  return isObject(answer) && "error" in answer ? readErrorObject(answer) : NO_RESULTS;
}

function miscounted(found: number, inputs: number): VendorFailure {
  return { ...NO_RESULTS, message: `The model service sent ${found} judgments for ${inputs} inputs.` };
}
