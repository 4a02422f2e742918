import type { Ask } from "../../ask.ts";
import { openAiError } from "../openai-error.ts";
import { type Failure, type Frame, namedFrame } from "../protocol.ts";
import { responseObject } from "./response-object.ts";

/**
 * A failure inside a stream has two public forms: an `error` event before the response has begun, `response.failed`
 * later; `@form=error` and `@form=failed` choose.
 */
export function errorFrame(failure: Failure, ask: Ask, sequence_number: number): Frame {
  const { message } = failure;
  const { code } = openAiError(failure).error;
  const form = ask.model.params.text("form", sequence_number === 0 ? "error" : "failed");
  if (form === "error") {
    const event = { type: "error", sequence_number, code: code ?? "server_error", message, param: failure.param };
    return namedFrame("terminal", "error", event);
  }
  const error = { code: failure.status === 429 ? "rate_limit_exceeded" : "server_error", message };
  const response = responseObject(ask, "failed", { error });
  return namedFrame("terminal", "response.failed", { type: "response.failed", sequence_number, response });
}
