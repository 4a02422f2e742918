import { useRef } from "react";
import type { DatedPrice, PricedModel, PricedRoute } from "../../../../contract/prices.ts";
import { LinkButton } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { formatCount, formatDay } from "../../kit/format.ts";
import { TextLink } from "../../kit/row-link.tsx";
import { SaveTable } from "../../kit/save-table.tsx";
import { Scrollable } from "../../kit/scrollable.tsx";
import { UnitPrices } from "../../kit/unit-prices.tsx";
import { ExactPrice, Margin, SourceBadge } from "./price-values.tsx";
import { CLASSES, markupWords } from "./price-words.ts";

function formOf({ model }: PricedModel) {
  return { to: "/admin/configuration/$kind/$id", params: { kind: "model", id: model } } as const;
}

/** All of a model's prices: now, later, for long input and as bundled, with vendors' prices and margins. */
export function PriceDialog({
  model,
  currency,
  onClose,
}: {
  model: PricedModel | undefined;
  currency: string;
  onClose: () => void;
}) {
  return (
    <Dialog
      open={model !== undefined}
      onClose={onClose}
      title={model === undefined ? "Prices" : `Prices of ${model.model}`}
      description={model && <About model={model} />}
      wide
    >
      {model && (
        <div className="space-y-5">
          <div className="flex flex-wrap gap-2">
            <LinkButton size="small" icon="edit" {...formOf(model)} search={{ part: "price" }}>
              Change the price
            </LinkButton>
            <LinkButton size="small" icon="plus" {...formOf(model)} search={{ part: "price", later: "1" }}>
              Change it from a later day
            </LinkButton>
          </div>
          <PriceRows caption="Sold at, per million tokens" prices={soldAt(model)} currency={currency} />
          {model.routes.map((route) => (
            <RouteMargins key={`${route.vendor} ${route.upstream_model}`} route={route} currency={currency} />
          ))}
        </div>
      )}
    </Dialog>
  );
}

function About({ model: { source, display_name, decide_with, markup } }: { model: PricedModel }) {
  return (
    <>
      {display_name} <SourceBadge source={source} />
      {decide_with !== null && <> Decided with {decide_with}, which is what it costs.</>}
      {markup !== null && <> Follows what the dearest of its vendors charges, {markupWords(markup)}.</>}
    </>
  );
}

interface NamedPrice {
  readonly name: string;
  readonly price: DatedPrice;
}

function soldAt({ effective, upcoming, bundled, source }: PricedModel): NamedPrice[] {
  return [
    { name: "Now", price: effective },
    ...upcoming.map((price) => ({ name: `From ${formatDay(Date.parse(price.from ?? ""))}`, price })),
    ...(bundled !== null && source === "overridden" ? [{ name: "As bundled", price: bundled }] : []),
  ];
}

const TABLE = "w-full text-left text-[0.92rem] tabular-nums";
const CELL = "px-3 py-1.5 text-right whitespace-nowrap";

function Heads({ first }: { first?: string }) {
  return (
    <thead className="text-[0.83rem] text-ink-soft">
      <tr>
        {first === undefined ? (
          <td />
        ) : (
          <th scope="col" className="px-3 py-1.5 font-medium">
            {first}
          </th>
        )}
        {CLASSES.map(({ key, label }) => (
          <th key={key} scope="col" className="px-3 py-1.5 text-right font-medium whitespace-nowrap">
            {label}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** Rows of prices, each followed by the prices of its tiers. */
function PriceRows({
  caption,
  prices,
  currency,
}: {
  caption: string;
  prices: readonly NamedPrice[];
  currency: string;
}) {
  const rows = prices.flatMap(({ name, price }) => [
    { name, classes: price },
    ...price.tiers.map((tier) => ({ name: `${name}, ${above(tier.above_input_tokens)}`, classes: tier })),
  ]);
  const table = useRef<HTMLTableElement>(null);
  return (
    <>
      <Scrollable label={caption} className="overflow-x-auto rounded-lg border border-line">
        <table ref={table} className={TABLE}>
          <caption className="px-3 pt-2 text-left font-semibold">{caption}</caption>
          <Heads first="When" />
          <tbody className="divide-y divide-line">
            {rows.map(({ name, classes }) => (
              <tr key={name}>
                <th scope="row" className="min-w-28 px-3 py-1.5 font-normal">
                  {name}
                </th>
                {CLASSES.map(({ key }) => (
                  <td key={key} className={CELL}>
                    <ExactPrice price={classes[key]} currency={currency} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrollable>
      {prices
        .filter(({ price }) => price.units_micro !== undefined)
        .map(({ name, price }) => (
          <div key={name} className="flex flex-wrap gap-x-3 text-[0.92rem]">
            <span>{name}</span>
            <UnitPrices units={price.units_micro} currency={currency} />
          </div>
        ))}
      <SaveTable table={table} name="sold-at" columns={["When", ...CLASSES.map(({ label }) => label)]} />
    </>
  );
}

function above(tokens: number): string {
  return `above ${formatCount(tokens)} input tokens`;
}

function RouteMargins({ route, currency }: { route: PricedRoute; currency: string }) {
  const { vendor, upstream_model, cost, cost_from, margins } = route;
  const name = `${vendor}, ${upstream_model}`;
  const table = useRef<HTMLTableElement>(null);
  return (
    <>
      <Scrollable label={`Cost by ${name}`} className="overflow-x-auto rounded-lg border border-line">
        <table ref={table} className={TABLE}>
          <caption className="px-3 pt-2 text-left">
            <span className="font-semibold">By </span>
            <TextLink to="/admin/vendors/$id" params={{ id: vendor }} search={{}}>
              {vendor}
            </TextLink>{" "}
            <span className="font-mono text-[0.83rem] text-ink-soft">{upstream_model}</span>
          </caption>
          {cost === null ? (
            <tbody>
              <tr>
                <td className="px-3 py-2 text-ink-soft">
                  This vendor's price is not known, so the margin is not known either.
                </td>
              </tr>
            </tbody>
          ) : (
            <>
              <Heads />
              <tbody className="divide-y divide-line">
                <tr>
                  <th scope="row" className="min-w-28 px-3 py-1.5 font-normal">
                    {cost_from === "stated" ? "Costs, as configured" : "Costs"}
                  </th>
                  {CLASSES.map(({ key }) => (
                    <td key={key} className={CELL}>
                      <ExactPrice price={cost[key]} currency={currency} />
                    </td>
                  ))}
                </tr>
                {(margins ?? []).map((row) => (
                  <tr key={row.above_input_tokens}>
                    <th scope="row" className="px-3 py-1.5 font-medium">
                      Margin{row.above_input_tokens > 0 && `, ${above(row.above_input_tokens)}`}
                    </th>
                    {CLASSES.map(({ key }) => (
                      <td key={key} className={CELL}>
                        <Margin margin={row[key]} currency={currency} />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </>
          )}
        </table>
      </Scrollable>
      {cost !== null && (
        <SaveTable table={table} name={`cost-by-${vendor}`} columns={["What", ...CLASSES.map(({ label }) => label)]} />
      )}
    </>
  );
}
