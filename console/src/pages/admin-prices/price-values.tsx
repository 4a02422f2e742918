import type { ClassMargin, ClassPrice, PricedModel } from "../../../../contract/prices.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { cx } from "../../kit/cx.ts";
import { exactMoney, formatAllDigits, formatColumnMoney } from "../../kit/format.ts";
import { None } from "../../kit/values.tsx";
import { formatPercent, marginRange } from "./price-words.ts";

/** A price per million tokens: with its column's decimals, or alone to its last. */
export function ExactPrice({ price, currency, decimals }: { price: ClassPrice; currency: string; decimals?: number }) {
  const { micro_per_mtok } = price;
  return (
    <data
      value={micro_per_mtok}
      data-micro=""
      data-hint={`${exactMoney(micro_per_mtok, currency)} per million tokens`}
      className={cx("tabular-nums", micro_per_mtok === 0 && "text-ink-soft")}
    >
      {decimals === undefined
        ? formatAllDigits(micro_per_mtok, currency)
        : formatColumnMoney(micro_per_mtok, currency, decimals)}
    </data>
  );
}

const SOURCES: Readonly<Record<PricedModel["source"], { tone: Tone; hint: string }>> = {
  bundled: { tone: "neutral", hint: "The price that comes with Camino" },
  overridden: { tone: "info", hint: "The configuration file overrides Camino's price" },
  own: { tone: "accent", hint: "Only the configuration file has it" },
  simulator: { tone: "neutral", hint: "Of the built-in simulator" },
};

export function SourceBadge({ source }: { source: PricedModel["source"] }) {
  return (
    <Badge tone={SOURCES[source].tone} hint={SOURCES[source].hint}>
      {source}
    </Badge>
  );
}

function toneOf(percent: number): Tone {
  return percent < 0 ? "danger" : percent === 0 ? "neutral" : "good";
}

/** The range of a model's margins over all classes of tokens and all routes. */
export function MarginBadge({ model }: { model: PricedModel }) {
  const range = marginRange(model);
  if (range === null) return <None />;
  const { least, most } = range;
  return (
    <Badge tone={toneOf(least)} hint="Price less what the vendor charges, by class and route" className="tabular-nums">
      {least === most ? formatPercent(least) : `${formatPercent(least)} to ${formatPercent(most)}`}
    </Badge>
  );
}

export function Margin({ margin, currency }: { margin: ClassMargin; currency: string }) {
  const { micro_per_mtok, percent } = margin;
  const tone = micro_per_mtok < 0 ? "text-danger-ink" : micro_per_mtok > 0 ? "text-good-ink" : "text-ink-soft";
  return (
    <data
      value={micro_per_mtok}
      data-micro=""
      data-hint={`${exactMoney(micro_per_mtok, currency)} per million tokens`}
      className={cx("whitespace-nowrap tabular-nums", tone)}
    >
      {formatAllDigits(micro_per_mtok, currency)}
      {percent !== null && <span className="text-[0.85rem]"> ({formatPercent(percent)})</span>}
    </data>
  );
}
