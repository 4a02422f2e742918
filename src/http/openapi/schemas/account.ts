import Type from "typebox";
import { count, duration, flag, micro, text, textOrNull } from "../../../../contract/answer-fields.ts";
import { orNull } from "../../../../contract/common.ts";
import { clientRefusal } from "../../../../contract/refusals.ts";
import { clientReceipt, receiptAttempt, receiptUsage } from "../../../../contract/requests.ts";
import { CacheUse, UsageTotals } from "../../../../contract/usage.ts";
import { BILLED_ENDPOINTS } from "../../../core/endpoints.ts";
import { ERRORS } from "../../../core/errors.ts";
import { anyOf } from "./scalars.ts";

/** The schemas of the account's answers (docs/api.md 2.8, 2.9, 2.11). */

export const UsageWindow = Type.Object(UsageTotals.properties);

export const UsageObject = Type.Object({
  currency: text("ISO 4217, of every amount here."),
  daily: UsageWindow,
  weekly: UsageWindow,
  monthly: UsageWindow,
  cache: Type.Optional(
    Type.Object(CacheUse.properties, {
      description:
        "Answers that were given again in the current calendar month; absent where no request asked for one.",
    }),
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
    limit: orNull(units("The key's budget with its raise."), "The key's budget with its raise; null without one."),
    limit_remaining: orNull(units("What is left of it."), "What is left of it; null without one."),
    limit_reset: orNull(Type.Enum(["daily", "weekly", "monthly"]), "How often it renews; null for never."),
    expires_at: textOrNull("When the key expires; null for never."),
    is_free_tier: flag("Always false."),
    rate_limit: Type.Object({
      requests: count("Requests a minute."),
      interval: text("`1m`."),
      note: text("What is counted."),
    }),
  }),
});

const countOrNull = (description: string) => orNull(Type.Integer({ minimum: 0 }), description);

export const GenerationObject = Type.Object({
  data: Type.Object({
    id: text("The id that was asked for."),
    request_id: text("Ours, `req_…`, by which the receipt is found."),
    total_cost: units("What was charged."),
    usage: units("The same."),
    created_at: text("RFC 3339."),
    model: text("The model that answered."),
    provider_name: textOrNull("The vendor that was asked last; null where none was."),
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

const ErrorCodeOrNull = orNull(Type.Enum(Object.keys(ERRORS)), "The code of an error, or null.");
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

export const ReceiptUsage = Type.Object(receiptUsage, {
  description: "Disjoint classes of tokens, and what few requests have beside them.",
});

export const ReceiptAttempt = Type.Object({
  ...receiptAttempt,
  error: ErrorCodeOrNull,
  duration_ms: duration("To the attempt's end."),
});

export const RequestObject = Type.Object({
  ...clientReceipt,
  endpoint: anyOf(BILLED_ENDPOINTS, "Which endpoint was called."),
  error: ErrorCodeOrNull,
  usage: orNull(ReceiptUsage, "Null while nothing is known."),
  price: ReceiptPrice,
  attempts: Type.Array(ReceiptAttempt, { description: "Each try at a vendor, oldest first." }),
});

export const RefusedRequestObject = Type.Object({ ...clientRefusal, charge_micro: micro("Always 0.") });
