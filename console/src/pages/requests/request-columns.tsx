import type { RefusedRequest } from "../../../../contract/refusals.ts";
import type { Receipt } from "../../../../contract/requests.ts";
import { StatusBadge } from "../../kit/badge.tsx";
import type { Column } from "../../kit/data-table.tsx";
import { countColumn, durationColumn } from "../../kit/figure-columns.tsx";
import { moneyDecimals } from "../../kit/format.ts";
import { LongName, ShortenedName } from "../../kit/long-name.tsx";
import { QuietLink, RowLink } from "../../kit/row-link.tsx";
import { totalTokens } from "../../kit/total-tokens.ts";
import { Money, None, Time } from "../../kit/values.tsx";
import { outcomeHint, UNREAD_MODEL } from "./request-words.ts";

/** A request in a list: one with a receipt, or one that was refused. */
export type Listed = Receipt | RefusedRequest;

type Name = "account" | "model" | "status" | "key" | "endpoint" | "time" | "tokens" | "duration" | "charge";

interface Options {
  /** Columns to leave out, because the surroundings show their values. */
  readonly without?: readonly Name[];
  readonly keyNames?: ReadonlyMap<string, string>;
  /** E-mail addresses of accounts by their ids: with a column of accounts. */
  readonly accountNames?: ReadonlyMap<string, string>;
}

/** The time and the duration of a request: the last columns of every list of requests. */
export const FIGURES: readonly (Column<Listed> & { key: Name })[] = [
  { key: "time", header: "Time", cell: ({ created_at }) => <Time clock at={created_at} /> },
  {
    ...countColumn<Listed>({
      key: "tokens",
      header: "Tokens",
      wide_only: true,
      sorts: false,
      of: (request) => ("usage" in request ? request.usage && totalTokens(request.usage) : null),
    }),
    key: "tokens",
  },
  {
    ...durationColumn<Listed>({
      key: "duration",
      header: "Duration",
      wide_only: true,
      sorts: false,
      of: (request) => ("duration_ms" in request ? request.duration_ms : null),
    }),
    key: "duration",
  },
  {
    key: "charge",
    header: "Charge",
    numeric: true,
    scale: (requests) => moneyDecimals(requests.map(amountOf)),
    cell: (request, decimals) => ("hold_micro" in request ? <ChargeCell of={request} decimals={decimals} /> : <None />),
  },
];

/** The accounts of a list of all accounts' requests, by their e-mail addresses. */
export function accountColumn(names: ReadonlyMap<string, string>): Column<Listed> & { key: Name } {
  return { key: "account", header: "Account", cell: ({ account: id }) => <AccountCell id={id} name={names.get(id)} /> };
}

export function requestColumns({ without = [], keyNames, accountNames }: Options = {}) {
  const columns: (Column<Listed> & { key: Name })[] = [
    {
      key: "model",
      header: "Model",
      heading: true,
      cell: (request) => <ModelCell of={request} names_endpoint={!without.includes("endpoint")} />,
    },
    ...(accountNames === undefined ? [] : [accountColumn(accountNames)]),
    { key: "status", header: "Status", cell: (request) => <RequestStatus of={request} /> },
    { key: "key", header: "Key", cell: ({ key_id }) => <KeyCell id={key_id} name={keyNames?.get(key_id)} /> },
    ...FIGURES,
  ];
  return columns.filter(({ key }) => !without.includes(key));
}

export function RequestStatus({ of: request }: { of: Pick<Receipt, "outcome" | "status" | "error"> | RefusedRequest }) {
  return <StatusBadge status={request.outcome} hint={outcomeHint(request)} />;
}

/** The model, and in small print how it was asked for. */
function ModelCell({ of, names_endpoint }: { of: Listed; names_endpoint: boolean }) {
  const { id, model, requested_model, endpoint } = of;
  const stream = "stream" in of && of.stream;
  const name = model || requested_model || (of.outcome === "refused" ? UNREAD_MODEL : "no model");
  const asked = [
    requested_model === name || requested_model === null ? "" : `as ${requested_model}`,
    names_endpoint ? endpoint : "",
    names_endpoint && stream ? "stream" : "",
  ].filter(Boolean);
  return (
    <span className="block min-w-40 [overflow-wrap:anywhere]">
      <RowLink to="/requests/$id" params={{ id }}>
        <LongName>{name}</LongName>
      </RowLink>
      {asked.length > 0 && <span className="block text-[0.82rem] font-normal text-ink-soft">{asked.join(" · ")}</span>}
    </span>
  );
}

function KeyCell({ id, name }: { id: string; name: string | undefined }) {
  if (name === undefined)
    return (
      <span data-hint={id} className="text-ink-soft">
        deleted key
      </span>
    );
  return (
    <ShortenedName hint={name || id}>
      <LongName>{name || `key …${id.slice(-4)}`}</LongName>
    </ShortenedName>
  );
}

function AccountCell({ id, name }: { id: string; name: string | undefined }) {
  return (
    <ShortenedName hint={name ?? id}>
      <QuietLink to="/requests" search={(before) => ({ ...before, account: id })}>
        <LongName>{name ?? id}</LongName>
      </QuietLink>
    </ShortenedName>
  );
}

/** What a request has been charged, or holds while it runs. */
function amountOf(request: Listed): number | null {
  return "hold_micro" in request && request.status === "held" ? request.hold_micro : request.charge_micro;
}

function ChargeCell({ of: request, decimals }: { of: Receipt; decimals: number }) {
  const amount = <Money micro={amountOf(request)} currency={request.currency} decimals={decimals} />;
  if (request.status !== "held") return amount;
  return <span className="whitespace-nowrap text-ink-soft">{amount} held</span>;
}
