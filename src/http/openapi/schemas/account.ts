import Type from "typebox";
import { BILLED_ENDPOINTS } from "../../../core/endpoints.ts";
import { ERRORS } from "../../../core/errors.ts";
import { always, count, duration, flag, micro, nullable, oneOf, text, unixSeconds } from "./scalars.ts";

/** The schemas of the account's answers (docs/api.md 2.8, 2.9, 2.11). */

export const UsageWindow = Type.Object({
  cost_micro: micro("What was charged."),
  prompt_tokens: count("All input, cached tokens included."),
  completion_tokens: count("All output, reasoning included."),
  total_tokens: count("Their sum."),
  request_count: count("Authenticated requests to a generation or decision endpoint, refused ones included."),
  success_count: count("Those that were answered."),
  units: Type.Optional(
    Type.Object(
      {
        input_characters: Type.Optional(count("Characters that were spoken.")),
        input_seconds: Type.Optional(count("Seconds of sound that were transcribed.")),
        images: Type.Optional(count("Images that were made.")),
        searches: Type.Optional(count("Searches of rankings.")),
      },
      { description: "What was charged beside tokens; absent where there was none." },
    ),
  ),
});

export const UsageObject = Type.Object({
  currency: text("ISO 4217, of every amount here."),
  daily: UsageWindow,
  weekly: UsageWindow,
  monthly: UsageWindow,
  cache: Type.Optional(
    Type.Object(
      {
        hits: count("Requests that were given a stored answer."),
        misses: count("Requests that asked for one, and there was none."),
        saved_micro: micro("What the hits would have cost beyond their own price."),
      },
      {
        description:
          "Answers that were given again in the current calendar month; absent where no request asked for one.",
      },
    ),
  ),
});

export const CreditsObject = Type.Object({
  currency: text("ISO 4217."),
  balance_micro: micro("What can still be spent, the holds of running requests taken off."),
  uncollected_micro: micro("What running requests hold until they are settled."),
});

const units = (description: string) => Type.Number({ description: `${description} In units of the currency.` });

export const KeyObject = Type.Object({
  data: Type.Object({
    label: text("The key's name, or its last characters where it has none."),
    usage: units("What was charged, in all."),
    usage_daily: units("In the current UTC day."),
    usage_weekly: units("In the current ISO week."),
    usage_monthly: units("In the current calendar month."),
    limit: nullable(units("The key's budget with its raise."), "The key's budget with its raise; null without one."),
    limit_remaining: nullable(units("What is left of it."), "What is left of it; null without one."),
    limit_reset: nullable(Type.Enum(["daily", "weekly", "monthly"]), "How often it renews; null for never."),
    expires_at: nullable(Type.String(), "When the key expires; null for never."),
    is_free_tier: flag("Always false."),
    rate_limit: Type.Object({
      requests: count("Requests a minute."),
      interval: text("`1m`."),
      note: text("What is counted."),
    }),
  }),
});

const countOrNull = (description: string) => nullable(Type.Integer({ minimum: 0 }), description);

export const GenerationObject = Type.Object({
  data: Type.Object({
    id: text("The id that was asked for."),
    request_id: text("Ours, `req_…`, by which the receipt is found."),
    total_cost: units("What was charged."),
    usage: units("The same."),
    created_at: text("RFC 3339."),
    model: text("The model that answered."),
    provider_name: nullable(Type.String(), "The vendor that was asked last; null where none was."),
    streamed: flag("Whether a stream was asked for."),
    cancelled: flag("Whether the client left."),
    is_byok: flag("Always false."),
    latency: duration("From arrival to the first byte of the answer."),
    generation_time: duration("From arrival to the end of the answer."),
    tokens_prompt: countOrNull("All input, cached tokens included."),
    tokens_completion: countOrNull("All output, reasoning included."),
    native_tokens_prompt: countOrNull("The same, as the vendor counts."),
    native_tokens_completion: countOrNull("The same, as the vendor counts."),
    native_tokens_reasoning: countOrNull("The part of the output that was reasoning."),
    native_tokens_cached: countOrNull("Input read from a cache."),
  }),
});

const ErrorCodeOrNull = nullable(Type.Enum(Object.keys(ERRORS)), "The code of an error, or null.");
const perMtok = (what: string) => Type.Integer({ minimum: 0, description: `${what}, micro units per million tokens.` });

const classPrices = {
  input_micro_per_mtok: perMtok("Uncached input"),
  output_micro_per_mtok: perMtok("Output"),
  cache_read_micro_per_mtok: perMtok("Input read from a cache"),
  cache_write_micro_per_mtok: perMtok("Input written to a cache"),
  parts_micro_per_mtok: Type.Optional(
    Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
      description: "Parts of the classes that have a price apart, micro units per million tokens.",
    }),
  ),
};

export const ReceiptPrice = Type.Object(
  {
    version: text("Names this version of the model's price."),
    variant: Type.Optional(text("What was asked for beside the model that has this price list: `service_tier=flex`.")),
    ...classPrices,
    calls_micro_per_kcall: Type.Optional(
      Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
        description: "The vendor's own tools, micro units per thousand calls.",
      }),
    ),
    units_micro: Type.Optional(
      Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
        description:
          "What is charged beside tokens, micro units: `input_characters` per million, `input_minutes` and `images` each, `searches` per thousand.",
      }),
    ),
    tiers: Type.Optional(
      Type.Array(Type.Object({ above_input_tokens: count("Strictly above it the tier holds."), ...classPrices })),
    ),
  },
  { description: "The price frozen when the request was admitted." },
);

export const ReceiptUsage = Type.Object(
  {
    input_tokens: count("Input neither read from nor written to a cache."),
    cache_read_tokens: count("Input read from a cache."),
    cache_write_tokens: count("Input written to a cache."),
    output_tokens: count("All output."),
    reasoning_tokens: count("The part of the output that was reasoning."),
    parts: Type.Optional(
      Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
        description:
          "Tokens that are counted in one of the classes and may have a price apart: `input_audio`, `cache_write_1h`.",
      }),
    ),
    calls: Type.Optional(
      Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
        description: "Calls of the vendor's own tools: `web_search`.",
      }),
    ),
    units: Type.Optional(
      Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
        description: "What is counted beside tokens: `input_characters`, `input_seconds`, `images`, `searches`.",
      }),
    ),
    unpriced: Type.Optional(
      Type.Array(Type.String(), { description: "What the vendor reported without a price; it was not charged." }),
    ),
  },
  { description: "Disjoint classes of tokens, and what few requests have beside them." },
);

export const ReceiptAttempt = Type.Object({
  vendor: text("Who was asked."),
  upstream_model: text("The vendor's name for the model."),
  status: nullable(Type.Integer(), "The vendor's HTTP status; null when there was none."),
  error: ErrorCodeOrNull,
  first_byte_ms: duration("To the vendor's first byte; null when none came."),
  duration_ms: duration("To the attempt's end."),
  calls: Type.Optional(count("Calls by this route, where a decision took many.")),
  failures: Type.Optional(count("How many of them failed.")),
  started_ms: duration("From the request's arrival to the attempt's beginning; null where it was not recorded."),
  said: nullable(
    Type.String(),
    "What the vendor said when the attempt failed, without secrets; null where it did not, or spoke of the gateway's own account.",
  ),
});

export const RequestObject = Type.Object({
  id: text("Ours, `req_…`."),
  object: always("request"),
  client_request_id: nullable(Type.String(), "The `x-request-id` that the client sent."),
  created: unixSeconds("Unix seconds."),
  endpoint: oneOf([...BILLED_ENDPOINTS], "Which endpoint was called."),
  stream: flag("Whether a stream was asked for."),
  key_id: text("The key that was used."),
  project_id: nullable(Type.String(), "The project that the key belonged to at its admission; null: none."),
  tags: Type.Record(Type.String(), Type.String(), { description: "The tags that the request carried itself." }),
  tags_counted: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: "How they are counted, where the day had no room for all of them: `(other)` stands for the rest.",
    }),
  ),
  requested_model: text("What the client named."),
  model: text("The model that answered."),
  status: oneOf(["held", "settled", "voided", "expired"], "`held` while it runs, then one of the others for good."),
  error: ErrorCodeOrNull,
  usage: nullable(ReceiptUsage, "Null while nothing is known."),
  estimated: flag("The vendor sent no usage that can be believed: the counts are our estimate."),
  late: flag("The end came after a recovery had ended the hold: a correction booked the difference."),
  price: ReceiptPrice,
  currency: text("ISO 4217, of every amount here."),
  hold_micro: micro("What was held."),
  charge_micro: micro("What was charged."),
  operator_loss_micro: micro("What the operator bore."),
  upstream_cost_micro: nullable(
    micro("What the gateway's own calls cost where it made a decision of a chat model's probabilities."),
    "Null for everything else.",
  ),
  attempts: Type.Array(ReceiptAttempt, { description: "Each try at a vendor, oldest first." }),
  queue_ms: duration("From arrival to admission."),
  hook_ms: Type.Optional(
    Type.Number({
      description:
        "How long the operator's own check of the request took, within `queue_ms`; absent where there is none.",
    }),
  ),
  first_byte_ms: duration("From arrival to the first byte of the answer."),
  duration_ms: duration("From arrival to the end of the answer."),
});

export const RefusedRequestObject = Type.Object({
  id: text("Ours, `req_…`."),
  object: always("refused_request"),
  client_request_id: nullable(Type.String(), "The `x-request-id` that the client sent."),
  created: unixSeconds("Unix seconds."),
  endpoint: text("Which endpoint was called."),
  key_id: text("The key that was used."),
  requested_model: nullable(Type.String(), "What the client named; null where the body was not read."),
  model: nullable(Type.String(), "The model that it stands for; null where there is none."),
  status: always("refused"),
  http_status: Type.Integer({ description: "The status of the answer." }),
  error: text("The code of the error."),
  param: nullable(Type.String(), "The field that it is about."),
  message: text("Its sentence."),
  charge_micro: micro("Always 0."),
});
