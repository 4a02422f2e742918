import { Link } from "@tanstack/react-router";
import type { PricedModel } from "../../../../contract/prices.ts";
import { Badge } from "../../kit/badge.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { formatDay, moneyDecimals } from "../../kit/format.ts";
import { LongName } from "../../kit/long-name.tsx";
import { sortRows, useSort } from "../../kit/sort.ts";
import { tokenPrice, UnitPrices } from "../../kit/unit-prices.tsx";
import { None } from "../../kit/values.tsx";
import { useShowMore } from "../admin-parts/show-more.tsx";
import { KIND_BADGES } from "../models/kinds.ts";
import { ExactPrice, MarginBadge, SourceBadge } from "./price-values.tsx";
import { CLASSES, marginRange, markupWords } from "./price-words.ts";

function columnsOf(currency: string, by_unit: boolean): Column<PricedModel>[] {
  const units: Column<PricedModel> = {
    key: "units",
    header: "Other units",
    numeric: true,
    cell: ({ effective }) => <UnitPrices units={effective.units_micro} currency={currency} />,
  };
  return [
    {
      key: "model",
      header: "Model",
      heading: true,
      sortBy: ({ model }) => model,
      cell: (model) => <Named model={model} />,
    },
    {
      key: "source",
      header: "Source",
      sortBy: ({ source }) => source,
      cell: ({ source }) => <SourceBadge source={source} />,
    },
    ...CLASSES.map(
      ({ key, label }): Column<PricedModel> => ({
        key,
        header: label,
        numeric: true,
        sortBy: ({ effective }) => effective[key].micro_per_mtok,
        scale: (models) => moneyDecimals(models.map(({ effective }) => effective[key].micro_per_mtok)),
        cell: ({ effective }, decimals) =>
          tokenPrice(effective[key].micro_per_mtok, effective.units_micro) === null ? (
            <None />
          ) : (
            <ExactPrice price={effective[key]} currency={currency} decimals={decimals} />
          ),
      }),
    ),
    ...(by_unit ? [units] : []),
    {
      key: "margin",
      header: "Margin",
      numeric: true,
      sortBy: (model) => marginRange(model)?.least ?? null,
      cell: (model) => <MarginBadge model={model} />,
    },
  ];
}

/** The model's name, which opens all of its prices. The open model is in the address, so the link can be sent. */
function Named({ model: { model, effective, upcoming, kind, markup } }: { model: PricedModel }) {
  const [next] = upcoming;
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-left">
      <Link
        to="."
        search={(before: object) => ({ ...before, model })}
        resetScroll={false}
        data-row-link=""
        className="rounded-sm font-medium [overflow-wrap:anywhere] after:absolute after:inset-0 hover:text-accent-ink"
      >
        <LongName>{model}</LongName>
      </Link>
      {KIND_BADGES[kind] !== null && <Badge>{KIND_BADGES[kind]}</Badge>}
      {markup !== null && <Badge hint={`Follows what the vendors charge: ${markupWords(markup)}`}>follows</Badge>}
      {effective.tiers.length > 0 && <Badge hint="Higher price for long input">tiers</Badge>}
      {next?.from && <Badge tone="warn">changes {formatDay(Date.parse(next.from))}</Badge>}
    </span>
  );
}

export function PriceTable({ models, currency }: { models: readonly PricedModel[]; currency: string }) {
  const by_unit = models.some(({ effective }) => effective.units_micro !== undefined);
  const columns = columnsOf(currency, by_unit);
  const [sort] = useSort("sort", "model");
  const sortBy = columns.find(({ key }) => key === sort?.key)?.sortBy;
  const ordered = sort === null || sortBy === undefined ? models : sortRows(models, sortBy, sort.descending);
  const { shown, footer, showAll } = useShowMore(ordered, "models");
  return (
    <DataTable
      caption="Prices per million tokens"
      columns={columns}
      rows={shown}
      file={{ name: "prices", complete: showAll }}
      rowKey={({ model }) => model}
      sort_param="sort"
      initial_sort="model"
      footer={footer}
    />
  );
}
