import type { Model } from "../../../../contract/models.ts";
import type { Column } from "../../kit/data-table.tsx";
import { moneyColumn } from "../../kit/figure-columns.tsx";
import { BeneathName, FittingName } from "../../kit/long-name.tsx";
import { Checkbox } from "../../kit/toggle.tsx";
import { tokenPrice, UnitPrices } from "../../kit/unit-prices.tsx";
import { Tokens } from "../../kit/values.tsx";
import { CapabilityBadges } from "./capability-badges.tsx";
import { pricesOutput } from "./kinds.ts";
import { ModelLink } from "./model-link.tsx";
import type { Comparison } from "./use-comparison.ts";

/** The catalogue's columns. Prices are those of a request that arrives now. `by_unit`: some model is charged by more than tokens. */
export function modelColumns(currency: string, comparison: Comparison, by_unit: boolean): Column<Model>[] {
  const units: Column<Model> = {
    key: "units",
    header: "Other units",
    numeric: true,
    cell: ({ price }) => <UnitPrices units={price.units_micro} currency={currency} />,
  };
  return [
    {
      key: "name",
      header: "Model",
      heading: true,
      sortBy: ({ display_name }) => display_name.toLowerCase(),
      cell: (model) => (
        <span className="block min-w-0 cards:text-left">
          <ModelLink row id={model.id}>
            <FittingName>{model.display_name}</FittingName>
          </ModelLink>
          <BeneathName code>{model.id}</BeneathName>
        </span>
      ),
    },
    { key: "can", header: "Can", cell: (model) => <CapabilityBadges model={model} /> },
    {
      key: "context",
      header: "Context",
      numeric: true,
      sortBy: ({ context_length }) => context_length,
      cell: ({ context_length }) => <Tokens count={context_length} />,
    },
    moneyColumn({
      key: "input",
      header: "Input",
      of: ({ price }) => tokenPrice(price.input_micro_per_mtok, price.units_micro),
      currency,
    }),
    moneyColumn({
      key: "output",
      header: "Output",
      of: ({ price, kind }) => (pricesOutput(kind) ? tokenPrice(price.output_micro_per_mtok, price.units_micro) : null),
      currency,
    }),
    moneyColumn({
      key: "cached",
      header: "Cached input",
      wide_only: true,
      of: ({ price }) => tokenPrice(price.cache_read_micro_per_mtok, price.units_micro),
      currency,
    }),
    ...(by_unit ? [units] : []),
    {
      key: "compare",
      header: "Compare",
      control: true,
      cell: ({ id, display_name }) => (
        <div className="relative cards:ml-auto" data-hint="Compare prices">
          <Checkbox
            hide_label
            label={`Compare ${display_name}`}
            checked={comparison.has(id)}
            disabled={comparison.full && !comparison.has(id)}
            onChange={() => comparison.toggle(id)}
          />
        </div>
      ),
    },
  ];
}
