import type { RequestField } from "../../core/codec.ts";
import type { GenerationRequest } from "../../core/generation.ts";

export interface EncodedSampling {
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
}

/** The highest temperature of this protocol; style A allows up to 2. */
const MAX_TEMPERATURE = 1;
/** The lowest `top_p` that vendors accept with thinking. */
const LEAST_TOP_P_THINKING = 0.95;

/**
 * The sampling parameters. Vendors accept temperature or top_p, not both; with thinking they accept no temperature, no
 * top_k and only a high top_p. Parameters that are left out are added to `ignored`.
 */
export function encodeSampling(request: GenerationRequest, thinks: boolean, ignored: RequestField[]): EncodedSampling {
  const temperature = thinks ? leftOut("temperature", request.temperature, 1) : request.temperature;
  const top_k = thinks ? leftOut("top_k", request.top_k) : request.top_k;
  const has_both = temperature !== undefined && request.top_p !== undefined;
  const is_low = thinks && request.top_p !== undefined && request.top_p < LEAST_TOP_P_THINKING;
  const top_p = has_both || is_low ? leftOut("top_p", request.top_p, 1) : request.top_p;
  if (temperature !== undefined && temperature > MAX_TEMPERATURE) ignored.push("temperature");
  return {
    ...(temperature !== undefined && { temperature: Math.min(temperature, MAX_TEMPERATURE) }),
    ...(top_p !== undefined && { top_p }),
    ...(top_k !== undefined && { top_k }),
  };

  function leftOut(field: "temperature" | "top_p" | "top_k", value: number | undefined, usual?: number): undefined {
    if (value !== undefined && value !== usual) ignored.push(field);
    return undefined;
  }
}
