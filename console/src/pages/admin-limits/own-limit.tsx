import type { LimitOverride } from "../../../../contract/limits.ts";
import { Badge } from "../../kit/badge.tsx";
import type { Column } from "../../kit/data-table.tsx";
import { FittingName } from "../../kit/long-name.tsx";
import { Count, Money } from "../../kit/values.tsx";
import { perWindow } from "../keys/key-state.ts";

/** A limit of a key or an account; without one, the limit that applies instead, in grey. */
function Own({ value, otherwise }: { value: number | null; otherwise: string }) {
  return value === null ? <span className="text-ink-soft">{otherwise}</span> : <Count count={value} />;
}

function OwnBudget({ budget, currency }: { budget: LimitOverride["budget"]; currency: string }) {
  if (budget === null) return <span className="text-ink-soft">none</span>;
  return (
    <span className="whitespace-nowrap">
      <Money micro={budget.amount_micro} currency={currency} /> {perWindow(budget.window)}
    </span>
  );
}

function Models({ models }: { models: readonly string[] | null }) {
  if (models === null) return <span className="text-ink-soft">all</span>;
  const [first = "", ...others] = models;
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <code className="font-mono text-[0.83rem]">
        <FittingName>{first}</FittingName>
      </code>
      {others.length > 0 && <Badge hint={others.join("\n")}>+{others.length}</Badge>}
    </span>
  );
}

type LimitsOfRow = Pick<LimitOverride, "rpm" | "tpm" | "concurrent" | "budget" | "models">;

interface OfRows<Row> {
  readonly limitsOf: (row: Row) => LimitsOfRow;
  readonly currency: string;
  /** What applies where a rate is not limited. */
  readonly otherwise: Readonly<Record<"rpm" | "tpm" | "concurrent", string>>;
}

const RATES = [
  { key: "rpm", header: "Requests / min" },
  { key: "tpm", header: "Tokens / min" },
  { key: "concurrent", header: "Concurrent requests" },
] as const;

/** The columns of rates, budget and models of keys or of accounts. */
export function limitColumns<Row>({ limitsOf, currency, otherwise }: OfRows<Row>): Column<Row>[] {
  return [
    ...RATES.map(({ key, header }) => ({
      key,
      header,
      numeric: true,
      sortBy: (row: Row) => limitsOf(row)[key],
      cell: (row: Row) => <Own value={limitsOf(row)[key]} otherwise={otherwise[key]} />,
    })),
    {
      key: "budget",
      header: "Budget",
      numeric: true,
      sortBy: (row) => limitsOf(row).budget?.amount_micro ?? null,
      cell: (row) => <OwnBudget budget={limitsOf(row).budget} currency={currency} />,
    },
    { key: "models", header: "Models", cell: (row) => <Models models={limitsOf(row).models} /> },
  ];
}
