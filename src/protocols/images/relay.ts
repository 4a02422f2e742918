import type { ClientRequest, Exchange, ProtocolAdapter, Target } from "../../core/answer/exchange.ts";
import type { FormPart } from "../../core/answer/form-part.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Price } from "../../core/money/price.ts";
import { outgoingForm, textPart } from "../shared/outgoing-form.ts";
import { plainBody, plainExchange } from "../shared/plain-relay.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { ImageStream } from "./image-stream.ts";
import { type AskedImages, readImages } from "./read-images.ts";
import type { ImageRequest } from "./wire-request.ts";

/** Images by a vendor of chat completions, at its `/images/generations`: the client's own body, but for what must change. */
export const relayImages: ProtocolAdapter = { prepare };

const KEPT: ReadonlySet<string> = new Set(["model", "prompt", "n", "stream", "images", "image", "image[]"]);

function prepare(request: ClientRequest, target: Target): Exchange {
  if (target.model.kind !== "image") throw noEndpoint(target);
  const asked = askedImages(request, target);
  const sent = request.form === undefined ? plainImages(request, target) : formOf(request.form, target);
  return Object.assign(sent, {
    readWhole: (body: Parameters<Exchange["readWhole"]>[0]) => readImages(body, asked),
    openStream: () => new ImageStream(asked),
    readError: readRelayedError,
  });
}

function plainImages(request: ClientRequest, target: Target) {
  const path = request.protocol === "images" ? "/images/generations" : "/images/edits";
  return plainExchange(path, plainBody(request, target, KEPT));
}

/** The client's form, but for its model and what its vendor does not take. */
function formOf(parts: readonly FormPart[], { vendor, upstream_model }: Target) {
  const left_out = new Set(vendor.quirks.unsupported_fields);
  if (!vendor.forwards_safety_identifier) left_out.add("user");
  const is_sent = ({ name }: FormPart) => KEPT.has(name) || !left_out.has(name);
  const sent = parts.filter(is_sent).map((part) => (part.name === "model" ? textPart("model", upstream_model) : part));
  const { content_type, pieces } = outgoingForm(sent);
  const ignored = parts.filter((part) => !is_sent(part)).map(({ name }) => name);
  return {
    path: "/images/edits",
    body: "",
    pieces,
    ignored,
    headers: { "content-type": content_type },
    is_light: true,
  } as const;
}

export function askedImages({ body, protocol }: ClientRequest, { model, price }: Target): AskedImages {
  const { n, size, quality } = body as ImageRequest;
  return {
    ...{
      model_id: model.id,
      events: protocol === "images" ? "image_generation" : "image_edit",
      count: n ?? 1,
      size,
      quality,
    },
    by_images: price?.units_micro?.images !== undefined,
    is_free: price !== undefined && isFree(price),
  };
}

function isFree(price: Price): boolean {
  return price.input_micro_per_mtok === 0 && price.output_micro_per_mtok === 0 && price.units_micro === undefined;
}

/** A chat model that makes images makes them in its chat alone at vendors of chat completions. */
function noEndpoint({ model, vendor }: Target): GatewayError {
  const message = `The model ${model.id} makes images in its chat only at ${vendor.name}: use /v1/chat/completions, /v1/responses or /v1/messages.`;
  return new GatewayError("model_not_supported_on_endpoint", message, { param: "model" });
}
