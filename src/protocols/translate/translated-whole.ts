import type { AssembledAnswer } from "../../core/answer/answer.ts";
import type { AnswerContext, ClientCodec, DecodedAnswer } from "../../core/answer/codec.ts";
import type { VendorFailure, WholeAnswer } from "../../core/answer/exchange.ts";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import type { Usage } from "../../core/money/usage.ts";
import { failedAnswer, invalidAnswer } from "../shared/endings.ts";
import { EveryAnswer } from "./every-answer.ts";
import type { AnswerPasses } from "./fit-request.ts";
import { foldEvents } from "./fold-events.ts";

/**
 * A vendor's whole answer for a client of another protocol: it is built from the events that its stream would have had.
 */
export function translateWhole(
  { events, rejected_usage }: DecodedAnswer,
  { passes }: AnswerPasses,
  client: ClientCodec,
  context: AnswerContext,
): WholeAnswer {
  const shown: StreamEvent[] = [];
  const { take, meter } = new EveryAnswer(passes, (event) => shown.push(event));
  for (const event of events) take(event);
  const answer = foldEvents(shown);
  if (answer === null) return { ...failedAnswer(failureOf(shown.at(-1))), rejected_usage };
  return {
    get body() {
      return bodyOf(answer);
    },
    failure: null,
    usage: answer.usage,
    rejected_usage,
    has_content: meter.has_content,
    output_bytes: meter.bytes,
    output_sample: meter.sample,
    bodyWith: (billed: Usage | null, cost?: string) => bodyOf({ ...answer, usage: billed ?? answer.usage, cost }),
  };

  function bodyOf(assembled: AssembledAnswer): string {
    return client.encodeWhole(assembled, context);
  }
}

function failureOf(last: StreamEvent | undefined): VendorFailure {
  if (last?.type !== "error") return invalidAnswer("The model service's answer is not complete.");
  const { status, message, retry_after_ms } = last;
  return { status, message, retry_after_ms };
}
