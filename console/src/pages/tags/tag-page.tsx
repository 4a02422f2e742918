import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { tagLimitText } from "../../../../contract/tag-limit-text.ts";
import type { TagValue } from "../../../../contract/tag-limits.ts";
import { CALM_MS, useApiPages } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { moneyColumn } from "../../kit/figure-columns.tsx";
import { fileOfPages } from "../../kit/file-of-pages.ts";
import { FilterBar, FilterText } from "../../kit/filter-bar.tsx";
import { formatCount } from "../../kit/format.ts";
import { FittingName } from "../../kit/long-name.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { Pagination } from "../../kit/pagination.tsx";
import { EmptyState, Loaded } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { useAccount, useMay } from "../../kit/use-account.ts";
import { None, Time } from "../../kit/values.tsx";
import { BudgetMeter } from "../keys/budget-meter.tsx";
import { limitWords } from "./limit-words.ts";
import { type OfLimit, ValueDialog } from "./value-dialog.tsx";

/** The values of a limited tag, the largest first: what each has used and has left, when it renews, and its own limits. */
export function TagPage() {
  const { tag = "" } = useParams({ strict: false });
  const account = useAccount();
  const [{ of: holder = "account", q = "" }] = useUrlState("of", "q");
  const of = { account, tag, holder };
  const pages = useValues(of, q);
  const may = useMay();
  const may_write = holder.startsWith("proj_") ? may("projects:write") : may("accounts:write");
  const [adding, setAdding] = useState(false);
  const { first } = pages;
  return (
    <>
      <PageHeader
        title={tag}
        guide="billing"
        breadcrumb={[{ label: "Keys", to: "/keys" }]}
        description={first && <>Each value has {limitWords(first.limit, first.currency) || "no limits but its own"}.</>}
        actions={
          may_write && (
            <Button icon="plus" onClick={() => setAdding(true)}>
              Limit a value
            </Button>
          )
        }
      />
      <FilterBar names={["q"]}>
        <FilterText name="q" label="Values that begin with" />
      </FilterBar>
      <Loaded query={{ ...pages, data: first }}>
        {({ value_count, currency, limit }) => (
          <Card flush title={`${formatCount(value_count)} ${value_count === 1 ? "value" : "values"}`}>
            {value_count === 0 ? (
              <EmptyState icon="key" title={q === "" ? "No value has been used yet" : "No value begins so"}>
                {`A request that carries ${tag} adds its value: ${tagLimitText(limit)}.`}
              </EmptyState>
            ) : (
              <DataTable
                caption={`Values of ${tag}`}
                columns={columnsOf(of, currency, may_write)}
                rows={pages.rows}
                file={fileOfPages(`values-of-${tag}`, pages)}
                rowKey={({ value }) => value}
                footer={<Pagination pages={pages} noun="values" more="Load more" />}
              />
            )}
          </Card>
        )}
      </Loaded>
      <ValueDialog of={of} value={null} open={adding} onClose={() => setAdding(false)} />
    </>
  );
}

function useValues({ account, tag, holder }: OfLimit, prefix: string) {
  const query = prefix === "" ? {} : { prefix };
  const shared = holder === "account" || holder === "gateway" ? holder : null;
  const of_account = useApiPages(
    "GET /accounts/{account}/tags/{tag}/values",
    { path: { account, tag }, query: { ...query, ...(shared !== null && { of: shared }) } },
    { enabled: shared !== null, refresh_ms: CALM_MS },
  );
  const of_project = useApiPages(
    "GET /projects/{project}/tags/{tag}/values",
    { path: { project: holder, tag }, query },
    { enabled: shared === null, refresh_ms: CALM_MS },
  );
  return shared === null ? of_project : of_account;
}

function columnsOf(of: OfLimit, currency: string, may_write: boolean): Column<TagValue>[] {
  const columns: Column<TagValue>[] = [
    { key: "value", header: "Value", heading: true, cell: ({ value }) => <FittingName>{value}</FittingName> },
    {
      key: "used",
      header: "Used",
      cell: ({ use }) => (use === null ? <None /> : <BudgetMeter short focusable use={use} currency={currency} />),
    },
    moneyColumn({ key: "left", header: "Left", of: ({ use }) => use?.remaining_micro ?? null, currency, sorts: false }),
    { key: "running", header: "Running", numeric: true, wide_only: true, cell: ({ in_flight }) => in_flight },
    {
      key: "own",
      header: "Own limits",
      cell: (value) => (value.own.length === 0 ? <None /> : ownWords(value, currency)),
    },
    {
      key: "last",
      header: "Last used",
      wide_only: true,
      cell: ({ last_used_at }) => (last_used_at === null ? <None /> : <Time at={last_used_at} />),
    },
  ];
  if (!may_write) return columns;
  return [
    ...columns,
    { key: "actions", header: "Actions", hide_header: true, cell: (value) => <Change of={of} value={value} /> },
  ];
}

function ownWords({ own, rpm, tpm, concurrent, budget }: TagValue, currency: string): string {
  const limits = {
    rpm: own.includes("rpm") ? rpm : null,
    tpm: own.includes("tpm") ? tpm : null,
    concurrent: own.includes("concurrent") ? concurrent : null,
    budget: own.includes("budget") ? budget : null,
  };
  return limitWords(limits, currency);
}

function Change({ of, value }: { of: OfLimit; value: TagValue }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" size="small" onClick={() => setOpen(true)}>
        Raise<span className="sr-only"> {value.value}</span>
      </Button>
      <ValueDialog of={of} value={value} open={open} onClose={() => setOpen(false)} />
    </>
  );
}
