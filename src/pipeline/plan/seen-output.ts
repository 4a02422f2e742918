import type { ClientRequest } from "../../core/answer/exchange.ts";
import type { Model } from "../../core/catalog/catalog.ts";
import { isObject } from "../../core/json.ts";
import type { Price } from "../../core/money/price.ts";
import type { TokenPart } from "../../core/money/price-classes.ts";

type Seeing = Pick<Model, "capabilities" | "output_modalities" | "prices" | "thinking_unsaid">;

/**
 * Whether all that a model generates is text in its stream. Models that reason mostly hide it, or show a summary, and tell
 * its size at the end only, and a model of which nothing is said may be one of them (docs/rulings.md 170); images and sound are
 * no text.
 */
export function streamsAll(model: Seeing): boolean {
  return !mayReason(model) && isTextOnly(model);
}

function mayReason({ capabilities, thinking_unsaid }: Seeing): boolean {
  return capabilities.thinking || thinking_unsaid === true;
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
  const { reasoning } = model.capabilities;
  return isTextOnly(model) && (!mayReason(model) || reasoning?.effort?.includes("none") === true);
}

/** Whether a model only generates text. One whose row prices images, sound or video generates them, whatever modalities the row lists. */
function isTextOnly({ output_modalities, prices }: Seeing): boolean {
  return output_modalities.every((modality) => modality === "text") && !prices.some(makesMedia);
}

const MEDIA = ["output_audio", "output_image", "output_video"] as const satisfies readonly TokenPart[];

function makesMedia({ parts_micro_per_mtok: parts }: Price): boolean {
  return parts !== undefined && MEDIA.some((part) => parts[part] !== undefined);
}
