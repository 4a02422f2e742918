import { type ReactNode, useRef, useState } from "react";
import type { Model } from "../../../../contract/models.ts";
import { Button } from "../../kit/button.tsx";
import { cx } from "../../kit/cx.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { SaveTable } from "../../kit/save-table.tsx";
import { Scrollable } from "../../kit/scrollable.tsx";
import { tokenPrice, UnitPrices } from "../../kit/unit-prices.tsx";
import { Money, Tokens } from "../../kit/values.tsx";
import { CapabilityBadges } from "./capability-badges.tsx";
import { pricesOutput } from "./kinds.ts";
import { ModelLink } from "./model-link.tsx";
import { type Comparison, MOST_COMPARED } from "./use-comparison.ts";

/** The bar at the window's bottom while models are ticked, which shows the ticked models side by side. */
export function CompareBar({ comparison, currency }: { comparison: Comparison; currency: string }) {
  const [open, setOpen] = useState(false);
  const { models } = comparison;
  if (models.length === 0) return null;
  return (
    <div className="sticky bottom-3 z-20 mt-3 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border border-line bg-raised px-4 py-2.5 shadow-float">
      <span role="status" className="min-w-0 flex-1 truncate">
        {models.length === 1
          ? `Choose up to ${MOST_COMPARED - 1} more to compare with ${models[0]?.display_name}`
          : `${models.length} models chosen`}
      </span>
      <Button kind="quiet" onClick={comparison.clear}>
        Clear
      </Button>
      <Button kind="primary" disabled={models.length < 2} onClick={() => setOpen(true)}>
        Compare
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title="Compare models" wide>
        <CompareTable models={models} currency={currency} />
      </Dialog>
    </div>
  );
}

const PRICES = [
  ["Input", "input_micro_per_mtok"],
  ["Output", "output_micro_per_mtok"],
  ["Cached input", "cache_read_micro_per_mtok"],
  ["Cache write", "cache_write_micro_per_mtok"],
] as const;

function CompareTable({ models, currency }: { models: readonly Model[]; currency: string }) {
  const table = useRef<HTMLTableElement>(null);
  return (
    <>
      <Scrollable label="Comparison" className="overflow-x-auto rounded-lg">
        <table ref={table} className="w-full border-collapse text-left">
          <caption className="sr-only">Prices per million tokens, and limits</caption>
          <thead>
            <tr className="align-top">
              <td className="p-2 sm:pl-0" />
              {models.map(({ id, display_name }) => (
                <th
                  key={id}
                  scope="col"
                  className="min-w-32 p-2 font-semibold"
                  style={{ width: `${80 / models.length}%` }}
                >
                  <ModelLink id={id}>{display_name}</ModelLink>
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line border-t border-line">
            {PRICES.map(([name, field]) => {
              const priceOf = ({ price, kind }: Model) =>
                field === "output_micro_per_mtok" && !pricesOutput(kind)
                  ? null
                  : tokenPrice(price[field], price.units_micro);
              const least = Math.min(...models.map((model) => priceOf(model) ?? Number.POSITIVE_INFINITY));
              return (
                <Row key={name} name={name} models={models}>
                  {(model) => (
                    <Money
                      micro={priceOf(model)}
                      currency={currency}
                      className={cx(priceOf(model) === least && "font-semibold text-good-ink")}
                    />
                  )}
                </Row>
              );
            })}
            {models.some(({ price }) => price.units_micro !== undefined) && (
              <Row name="Other units" models={models}>
                {({ price }) => <UnitPrices units={price.units_micro} currency={currency} />}
              </Row>
            )}
            <Row name="Context" models={models}>
              {({ context_length }) => <Tokens count={context_length} />}
            </Row>
            <Row name="Max output" models={models}>
              {({ max_completion_tokens }) => <Tokens count={max_completion_tokens} />}
            </Row>
            <Row name="Can" models={models}>
              {(model) => <CapabilityBadges wraps model={model} />}
            </Row>
          </tbody>
        </table>
      </Scrollable>
      <SaveTable table={table} name="models-compared" columns={["", ...models.map(({ id }) => id)]} />
    </>
  );
}

function Row({
  name,
  models,
  children,
}: {
  name: string;
  models: readonly Model[];
  children: (model: Model) => ReactNode;
}) {
  return (
    <tr>
      <th scope="row" className="p-2 font-medium sm:pl-0 whitespace-nowrap text-ink-soft">
        {name}
      </th>
      {models.map((model) => (
        <td key={model.id} className="p-2">
          {children(model)}
        </td>
      ))}
    </tr>
  );
}
