import type { Account } from "../../../../contract/accounts.ts";
import type { Entry } from "../../../../contract/credits.ts";
import { useApi } from "../../api/use-api.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { EmptyState, Loaded } from "../../kit/states.tsx";
import { None, Time } from "../../kit/values.tsx";
import { ExactAmount } from "../credits/exact-amount.tsx";

const TONES: Readonly<Record<Entry["kind"], Tone>> = { credit: "good", charge: "neutral", correction: "warn" };

function columns(currency: string): Column<Entry>[] {
  return [
    {
      key: "kind",
      header: "Entry",
      heading: true,
      cell: ({ kind }) => <Badge tone={TONES[kind]}>{kind}</Badge>,
    },
    {
      key: "note",
      header: "About",
      cell: ({ note, request, account }) =>
        request === null ? (
          note || <None />
        ) : (
          <TextLink to="/requests/$id" params={{ id: request }} search={{ account }}>
            a request
          </TextLink>
        ),
    },
    { key: "time", header: "Time", cell: ({ created_at }) => <Time clock at={created_at} /> },
    {
      key: "amount",
      header: "Amount",
      numeric: true,
      cell: ({ amount_micro }) => <ExactAmount micro={amount_micro} currency={currency} signed />,
    },
    {
      key: "after",
      header: "Total after",
      numeric: true,
      wide_only: true,
      cell: ({ posted_after_micro }) => <ExactAmount micro={posted_after_micro} currency={currency} />,
    },
  ];
}

/** The newest lines of the account's ledger. */
export function AccountEntries({ account }: { account: Account }) {
  const entries = useApi("GET /accounts/{account}/credits", { path: { account: account.id }, query: { limit: "8" } });
  return (
    <Card
      title="Latest ledger entries"
      actions={
        <TextLink to="/credits" search={{ account: account.id }}>
          The whole ledger
        </TextLink>
      }
      flush
    >
      <Loaded query={entries}>
        {({ data, currency }) =>
          data.length === 0 ? (
            <EmptyState icon="credits" title="Nothing is booked yet">
              Credits, charges and corrections appear here, newest first.
            </EmptyState>
          ) : (
            <DataTable
              caption="Ledger entries"
              columns={columns(currency)}
              rows={data}
              file={null}
              rowKey={({ id }) => id}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
