import { GatewayError } from "../../core/errors.ts";
import { type EmbeddingRequest, inputsOf } from "./wire-request.ts";

/** The texts of a request for a vendor that takes no tokens. Throws the 400 for tokens. */
export function textsOnly(body: EmbeddingRequest, model: string): readonly string[] {
  const inputs = inputsOf(body);
  if (inputs.every((input) => typeof input === "string")) return inputs;
  const message = `'input' is tokens; the model ${model} takes texts only, as its tokens are others.`;
  throw new GatewayError("invalid_input", message, { param: "input" });
}

const TRANSLATED: ReadonlySet<string> = new Set(["model", "input", "dimensions", "encoding_format"]);

const NOTHING: ReadonlySet<string> = new Set();

/** The members of a body that no translation has a place for, but for `more`. */
export function leftOut(body: EmbeddingRequest, more: ReadonlySet<string> = NOTHING): readonly string[] {
  return Object.entries(body)
    .filter(([name, value]) => value !== null && !TRANSLATED.has(name) && !more.has(name))
    .map(([name]) => name);
}
