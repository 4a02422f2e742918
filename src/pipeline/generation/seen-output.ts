import type { Model } from "../../core/catalog.ts";
import type { ClientRequest } from "../../core/exchange.ts";
import { isObject } from "../../core/json.ts";

type Seeing = Pick<Model, "capabilities" | "output_modalities">;

/**
 * Whether all that a model generates is text in its stream. Models that reason mostly hide it, or show a summary, and tell
 * its size at the end only; images and sound are no text.
 */
export function streamsAll(model: Seeing): boolean {
  return !model.capabilities.thinking && isTextOnly(model);
}

/**
 * Whether every output token of a request can be seen while it is generated (docs/rulings.md 142): it is streamed, by models
 * that stream everything, without tools that the vendor calls in between. Reasoning that the request switches off counts as
 * none where all models that may answer can switch it off.
 */
export function isSeen(
  request: Pick<ClientRequest, "stream" | "body" | "charged">,
  { streams_all, routes }: { readonly streams_all: boolean; readonly routes: readonly { readonly model: Seeing }[] },
): boolean {
  if (!request.stream || request.charged?.some(({ calls }) => calls !== undefined) === true) return false;
  return streams_all || (asksForNoReasoning(request.body) && routes.every(({ model }) => canStopReasoning(model)));
}

function asksForNoReasoning({ reasoning_effort, reasoning }: ClientRequest["body"]): boolean {
  return reasoning_effort === "none" || (isObject(reasoning) && reasoning.effort === "none");
}

function canStopReasoning(model: Seeing): boolean {
  const { thinking, reasoning } = model.capabilities;
  return isTextOnly(model) && (!thinking || reasoning?.effort?.includes("none") === true);
}

function isTextOnly({ output_modalities }: Seeing): boolean {
  return output_modalities.every((modality) => modality === "text");
}
