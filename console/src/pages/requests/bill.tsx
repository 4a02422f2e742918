import { type ReactNode, useRef } from "react";
import type { ChargeLine, ReceiptDetail } from "../../../../contract/requests.ts";
import { Badge } from "../../kit/badge.tsx";
import { Card } from "../../kit/card.tsx";
import { decimalsOf, formatAllDigits, formatCount, formatExact, MICRO_DIGITS } from "../../kit/format.ts";
import { SaveTable } from "../../kit/save-table.tsx";
import { Scrollable } from "../../kit/scrollable.tsx";
import { EmptyState } from "../../kit/states.tsx";
import { STORED } from "./request-words.ts";

/** A class's name for people: `cache_write_1h` becomes "Cache write 1h". */
function classWords(name: ChargeLine["class"]): string {
  const words = name.replaceAll("_", " ");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

const UNITS: Readonly<Record<ChargeLine["unit"], string>> = {
  token: "a million",
  call: "a thousand calls",
  character: "a million characters",
  second: "a minute",
  image: "an image",
  search: "1k searches",
};

/** The bill: usage and price, line by line, each exact; only their sum is rounded, which is the charge (docs/rulings.md 23). */
export function Bill({ of: receipt }: { of: ReceiptDetail }) {
  const { price, tier_above_input_tokens: tier, estimated, late } = receipt;
  return (
    <Card
      flush
      title="Charge"
      actions={
        <>
          {estimated && (
            <Badge tone="warn" hint="The vendor did not report usage, so tokens were counted from the text.">
              estimated
            </Badge>
          )}
          {late && (
            <Badge
              tone="warn"
              hint="The gateway lost track of the request and settled it. The actual result came later, and a correction booked the difference."
            >
              late
            </Badge>
          )}
          {tier !== null && (
            <Badge hint="Prices for long input apply to the whole request.">above {formatCount(tier)} tokens</Badge>
          )}
          {receipt.usage?.unpriced !== undefined && (
            <Badge tone="warn" hint="The vendor reported these. They have no price, so they were not charged.">
              not priced: {receipt.usage.unpriced.join(", ")}
            </Badge>
          )}
          {price.variant?.split(", ").map((variant) =>
            variant === STORED ? (
              <Badge key={variant} tone="info" hint="The account got the same answer before; no vendor was called.">
                stored answer
              </Badge>
            ) : (
              <Badge key={variant} hint="The request asked for it.">
                {variant}
              </Badge>
            ),
          )}
          <span className="text-[0.85rem] text-ink-soft">
            Price version <code className="font-mono">{price.version}</code>
          </span>
        </>
      }
    >
      {receipt.lines.length === 0 ? <NothingUsed of={receipt} /> : <Lines of={receipt} />}
      <Settlement of={receipt} />
    </Card>
  );
}

function NothingUsed({ of: { status, price, currency } }: { of: ReceiptDetail }) {
  if (status !== "held")
    return (
      <EmptyState icon="credits" title="Nothing was used">
        No tokens were used, so there is nothing to charge.
      </EmptyState>
    );
  return (
    <EmptyState icon="credits" title="It is still running">
      Tokens are counted when it ends, at {formatAllDigits(price.input_micro_per_mtok, currency)} a million of input and{" "}
      {formatAllDigits(price.output_micro_per_mtok, currency)} of output.
    </EmptyState>
  );
}

const HEAD = "px-1 py-2 font-medium whitespace-nowrap first:pl-4 last:pr-4 sm:px-3 sm:first:pl-5 sm:last:pr-5";
const CELL = "px-1 py-2.5 first:pl-4 last:pr-4 sm:px-3 sm:first:pl-5 sm:last:pr-5";

function Lines({ of: { id, lines, cost_micro, currency, usage } }: { of: ReceiptDetail }) {
  const reasoning = usage?.reasoning_tokens ?? 0;
  const table = useRef<HTMLTableElement>(null);
  const is_rounded = lines.reduce((sum, line) => sum + millionths(line), 0n) % 1_000_000n !== 0n;
  const decimals = decimalsOf(lines.map(({ exact_micro }) => exact_micro));
  return (
    <>
      <Scrollable label="Lines of the charge" className="overflow-x-auto -outline-offset-2">
        <table ref={table} className="w-full border-collapse text-left tabular-nums max-sm:text-[0.86rem]">
          <caption className="sr-only">Token classes and what they cost</caption>
          <thead className="border-b border-line text-[0.83rem] text-ink-soft">
            <tr>
              <th scope="col" className={HEAD}>
                What
              </th>
              <th scope="col" className={`${HEAD} text-right`}>
                Count
              </th>
              <th scope="col" className={`${HEAD} text-right`}>
                Price
              </th>
              <th scope="col" className={`${HEAD} text-right`}>
                Amount
              </th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {lines.map((line) => (
              <tr key={line.class}>
                <th scope="row" className={`${CELL} font-medium`}>
                  {classWords(line.class)}
                  {line.class === "output" && reasoning > 0 && (
                    <span className="block text-[0.83rem] font-normal text-ink-soft">
                      {formatCount(reasoning)} of them reasoning
                    </span>
                  )}
                </th>
                <td className={`${CELL} text-right`}>
                  <data value={line.count}>{formatCount(line.count)}</data>
                </td>
                <td className={`${CELL} text-right`}>
                  <data value={line.price_micro} data-micro="">
                    {formatAllDigits(line.price_micro, currency)}
                  </data>{" "}
                  <span className="text-[0.83rem] text-ink-soft">{UNITS[line.unit]}</span>
                </td>
                <td className={`${CELL} text-right`}>
                  <data value={line.exact_micro} data-micro="">
                    {formatExact(line.exact_micro, currency, decimals)}
                  </data>
                </td>
              </tr>
            ))}
          </tbody>
          <tfoot className="border-t border-line-strong">
            <tr>
              <th scope="row" colSpan={3} className={`${CELL} font-semibold`}>
                Cost
                {is_rounded && (
                  <span className="block text-[0.83rem] font-normal text-ink-soft">
                    the sum, rounded up to {formatAllDigits(1, currency)}
                  </span>
                )}
              </th>
              <td className={`${CELL} text-right font-semibold`}>
                {formatAllDigits(cost_micro, currency, { aligned: true })}
                {/* The points of the column stay below each other. */}
                <span aria-hidden="true" className="invisible">
                  {"0".repeat(decimals - MICRO_DIGITS)}
                </span>
              </td>
            </tr>
          </tfoot>
        </table>
      </Scrollable>
      <SaveTable table={table} name={`charge-${id}`} columns={["What", "Count", "Price", `Amount in ${currency}`]} />
    </>
  );
}

/** A line's amount in millionths of a micro unit. */
function millionths({ exact_micro }: ChargeLine): bigint {
  const [whole = "", fraction = ""] = exact_micro.split(".");
  return BigInt(whole + fraction.padEnd(6, "0"));
}

function Settlement({ of: receipt }: { of: ReceiptDetail }) {
  const { status, currency, hold_micro, extended_micro, charge_micro, operator_loss_micro, upstream_cost_micro } =
    receipt;
  const amount = (micro: number) => formatAllDigits(micro, currency, { aligned: true });
  const rows: (readonly [name: string, value: ReactNode, note?: string] | null)[] = [
    [
      status === "held" ? "Held while it runs" : "Held before it began",
      amount(hold_micro),
      extended_micro > 0 ? `${amount(extended_micro)} of it added while it ran` : undefined,
    ],
    status === "held" ? null : ["Released", amount(Math.max(0, hold_micro - charge_micro))],
    status === "held" ? null : ["Charged", <strong key="charge">{amount(charge_micro)}</strong>],
    operator_loss_micro === 0
      ? null
      : ["Borne by the operator", amount(operator_loss_micro), "beyond what could be charged"],
    upstream_cost_micro === null
      ? null
      : ["Cost of the calls behind the decision", amount(upstream_cost_micro), "paid by the operator"],
  ];
  return (
    <dl className="space-y-1.5 border-t border-line bg-canvas px-5 py-3.5 text-[0.92rem] tabular-nums last:rounded-b-xl">
      {rows
        .filter((row) => row !== null)
        .map(([name, value, note]) => (
          <div key={name} className="flex items-baseline justify-between gap-4">
            <dt className="text-ink-soft">
              {name}
              {note !== undefined && <span className="block text-[0.83rem]">{note}</span>}
            </dt>
            <dd>{value}</dd>
          </div>
        ))}
      {receipt.entry !== null && (
        <div className="flex items-baseline justify-between gap-4">
          <dt className="text-ink-soft">Entry in the ledger</dt>
          <dd className="min-w-0 font-mono text-[0.85rem] break-all">{receipt.entry.id}</dd>
        </div>
      )}
    </dl>
  );
}
