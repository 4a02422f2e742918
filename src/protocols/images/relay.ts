import type { ClientRequest, Exchange, ProtocolAdapter, Target } from "../../core/answer/exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Price } from "../../core/money/price.ts";
import { plainBody, plainExchange } from "../shared/plain-relay.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { ImageStream } from "./image-stream.ts";
import { type AskedImages, readImages } from "./read-images.ts";
import type { ImageRequest } from "./wire-request.ts";

/** Images by a vendor of chat completions, at its `/images/generations`: the client's own body, but for what must change. */
export const relayImages: ProtocolAdapter = { prepare };

const KEPT = new Set(["model", "prompt", "n", "stream"]);

function prepare(request: ClientRequest, target: Target): Exchange {
  if (target.model.kind !== "image") throw noEndpoint(target);
  const asked = askedImages(request, target);
  return Object.assign(plainExchange("/images/generations", plainBody(request, target, KEPT)), {
    readWhole: (body: Parameters<Exchange["readWhole"]>[0]) => readImages(body, asked),
    openStream: () => new ImageStream(asked),
    readError: readRelayedError,
  });
}

export function askedImages({ body }: ClientRequest, { model, price }: Target): AskedImages {
  const { n, size, quality } = body as ImageRequest;
  return {
    ...{ model_id: model.id, events: "image_generation", count: n ?? 1, size, quality },
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
