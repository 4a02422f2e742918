import type { SentBody, VendorFailure, WholeAnswer, WholeBody } from "../../core/answer/exchange.ts";
import { textOf } from "../../core/answer/sent-body.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import type { Usage } from "../../core/money/usage.ts";
import { invalidAnswer } from "../shared/endings.ts";
import { bodyWriter, REPEATED_MEMBER } from "../shared/rewrite-answer.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { NO_CHOICES } from "./chunk-events.ts";
import { envelopeOf, generatedIn, type ShownCompletion } from "./completions-stream.ts";
import { choiceIndex, choicesOf, errorOf, hasChoice, parseChunk } from "./inspect-chunk.ts";
import { correctedUsage, findUsage, readUsage, showUsage } from "./usage.ts";

const MOST_SAMPLE_LENGTH = 256 * 1024;

/** Reads a completion that arrived whole. The client gets the vendor's bytes but for the model's name, its usage and members that are missing. Never throws. */
export function readCompletion(sent: WholeBody, shown: ShownCompletion): WholeAnswer {
  const text = textOf(sent);
  const answer = parseChunk(text);
  if (answer === null) return failed(invalidAnswer("The model service's answer is not a JSON object."));
  const error = errorOf(answer);
  if (error !== null) return failed(readErrorObject(error));
  if (!hasChoice(answer)) return failed(NO_CHOICES);
  const { usage, rejected } = readUsage(findUsage(answer));
  const write = bodyWriter({ sent, text, answer }, shown.model_id, missingIn(answer, shown));
  if (write === null) return failed(REPEATED_MEMBER);
  const told = isObject(answer.usage)
    ? usage === null
      ? null
      : correctedUsage({ ...answer.usage }, usage)
    : undefined;
  const instead = told === null && usage !== null ? undefined : told;
  const generated = choicesOf(answer)
    .map((choice, place) => generatedOf(choice, place, shown))
    .join("");
  return {
    ...{ usage, rejected_usage: rejected, failure: null, has_content: generated !== "" },
    output_bytes: Buffer.byteLength(generated),
    output_sample: generated.slice(0, MOST_SAMPLE_LENGTH),
    get body() {
      return write(instead);
    },
    bodyWith: (billed: Usage | null, cost?: string): SentBody =>
      write(billed === null ? instead : { ...showUsage(billed) }, cost),
  };
}

function generatedOf(choice: JsonRecord, place: number, shown: ShownCompletion): string {
  return typeof choice.text === "string" ? generatedIn(choice.text, choiceIndex(choice, place), shown) : "";
}

/** The members that clients read, where the vendor left one out. */
function missingIn(answer: JsonRecord, { model_id }: ShownCompletion) {
  const envelope = envelopeOf(answer, model_id);
  return (["id", "object", "created"] as const)
    .filter((name) => answer[name] !== envelope[name])
    .map((name) => [name, JSON.stringify(envelope[name])] as const);
}

function failed(failure: VendorFailure): WholeAnswer {
  return {
    ...{ body: new Uint8Array(0), failure, usage: null, rejected_usage: null, has_content: false },
    ...{ output_bytes: 0, output_sample: "" },
  };
}
