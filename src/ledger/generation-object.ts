import type { RequestRecord } from "../core/ledger/ledger.ts";
import { unitsText } from "../core/money/money.ts";
import { totalInput } from "../core/money/usage.ts";

/**
 * A request that has ended, in the shape of OpenRouter's `GET /generation` (docs/api.md 4.23, docs/rulings.md 230), as JSON text: amounts are
 * numbers in units of the currency. `id` is the one that it was asked for by. What we know nothing of is null.
 */
export function generationText(record: RequestRecord, id: string): string {
  const { usage, attempts, charge_micro } = record;
  const last = attempts.at(-1);
  const counts = usage === null ? null : { input: totalInput(usage), output: usage.output_tokens };
  const known = {
    id,
    request_id: record.id,
    created_at: new Date(record.created_ms).toISOString(),
    model: record.model,
    provider_name: last?.vendor ?? null,
    streamed: record.stream,
    cancelled: record.outcome === "left",
    is_byok: false,
    latency: record.first_byte_ms,
    generation_time: record.duration_ms,
    ...{ tokens_prompt: counts?.input ?? null, tokens_completion: counts?.output ?? null },
    ...{ native_tokens_prompt: counts?.input ?? null, native_tokens_completion: counts?.output ?? null },
    native_tokens_reasoning: usage?.reasoning_tokens ?? null,
    native_tokens_cached: usage?.cache_read_tokens ?? null,
    num_search_results: null,
    native_tokens_completion_images: usage?.extra?.parts?.output_image ?? null,
    provider_responses: attempts.map(({ vendor, status, duration_ms }) => ({
      ...{ provider_name: vendor, status, latency: duration_ms },
    })),
    ...UNKNOWN,
  };
  const cost = unitsText(charge_micro);
  return `{"data":{"total_cost":${cost},"usage":${cost},${JSON.stringify(known).slice(1)}}`;
}

/** Members that clients read without asking. */
const UNKNOWN = {
  ...{ upstream_id: null, upstream_inference_cost: null, cache_discount: null, moderation_latency: null },
  ...{ finish_reason: null, native_finish_reason: null, num_media_prompt: null, num_media_completion: null },
  ...{ num_input_audio_prompt: null, app_id: null, external_user: null, origin: "", router: null, api_type: null },
};
