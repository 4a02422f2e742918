import type { ReceiptDetail } from "../../../../contract/requests.ts";
import { Badge } from "../../kit/badge.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { durationColumn } from "../../kit/figure-columns.tsx";
import { formatCount } from "../../kit/format.ts";
import { BeneathName } from "../../kit/long-name.tsx";
import { EmptyState } from "../../kit/states.tsx";
import { None } from "../../kit/values.tsx";

type Attempt = ReceiptDetail["attempts"][number] & { readonly number: number };

/** The attempts in their order: each with its vendor and outcome (docs/rulings.md 124). */
export function Attempts({ of: { attempts, status } }: { of: ReceiptDetail }) {
  const rows = attempts.map((attempt, index) => ({ ...attempt, number: index + 1 }));
  const many = attempts.some(({ calls }) => calls !== undefined);
  return (
    <Card
      flush
      title="Attempts"
      description={
        many
          ? "Calls of a decision, together for each route. What a vendor said is of its last failure."
          : "Each from its beginning, counted from the request's arrival, until it was known to answer or to fail."
      }
    >
      {rows.length === 0 ? (
        <EmptyState icon="vendors" title={status === "held" ? "No vendor has answered yet" : "No vendor was asked"} />
      ) : (
        <DataTable
          caption="Attempts"
          columns={many ? [...COLUMNS, CALLS] : COLUMNS}
          rows={rows}
          file={{ name: "attempts" }}
          rowKey={({ number }) => String(number)}
        />
      )}
    </Card>
  );
}

const WHY: Readonly<Record<NonNullable<Attempt["why"]>, string>> = {
  weight: "drawn by weight",
  latency: "the faster",
  cost: "the cheapest",
  conversation: "the conversation's own",
  kept: "where the conversation was",
  next: "the next in turn",
  fallback: "a fallback",
};

const COLUMNS: readonly Column<Attempt>[] = [
  {
    key: "vendor",
    header: "Vendor",
    heading: true,
    cell: ({ vendor, upstream_model, credential, why, passed_over }) => (
      <span>
        {vendor}
        {credential !== undefined && <span className="text-ink-soft"> · {credential}</span>}
        {why !== undefined && (
          <span className="block text-[0.85rem] text-ink-soft" data-hint={passed_over?.join("; ")}>
            {WHY[why]}
            {passed_over !== undefined && `; passed over ${passed_over.length}`}
          </span>
        )}
        <BeneathName code>{upstream_model}</BeneathName>
      </span>
    ),
  },
  {
    key: "status",
    header: "Answer",
    cell: ({ status, error, said }) => (
      <div className="min-w-0">
        <span className="inline-flex flex-wrap items-center gap-1.5 max-sm:justify-end">
          {status !== null && <Badge tone={status < 300 ? "good" : status < 500 ? "warn" : "danger"}>{status}</Badge>}
          {error !== null && <code className="font-mono text-[0.83rem] text-danger-ink">{error}</code>}
          {status === null && error === null && <None />}
        </span>
        {said !== null && (
          <p className="mt-1 max-w-prose text-[0.88rem] text-ink-soft [overflow-wrap:anywhere]">“{said}”</p>
        )}
      </div>
    ),
  },
  durationColumn({ key: "began", header: "Began after", sorts: false, of: ({ started_ms }) => started_ms }),
  durationColumn({ key: "first", header: "First byte", sorts: false, of: ({ first_byte_ms }) => first_byte_ms }),
  durationColumn({ key: "duration", header: "Duration", sorts: false, of: ({ duration_ms }) => duration_ms }),
];

const CALLS: Column<Attempt> = {
  key: "calls",
  header: "Calls",
  numeric: true,
  cell: ({ calls = 1, failures = 0 }) =>
    failures === 0 ? formatCount(calls) : `${formatCount(calls)}, ${formatCount(failures)} failed`,
};
