import type { Receipt } from "../../../../contract/requests.ts";
import { StatusBadge } from "../../kit/badge.tsx";
import type { Column } from "../../kit/data-table.tsx";
import { formatDuration } from "../../kit/format.ts";
import { LongName, ShortenedName } from "../../kit/long-name.tsx";
import { QuietLink, RowLink } from "../../kit/row-link.tsx";
import { totalTokens } from "../../kit/total-tokens.ts";
import { Money, None, Time, Tokens } from "../../kit/values.tsx";
import { outcomeHint } from "./request-words.ts";

type Name = "account" | "model" | "status" | "key" | "endpoint" | "time" | "tokens" | "duration" | "charge";

interface Options {
  /** Columns to leave out, because the surroundings show their values. */
  readonly without?: readonly Name[];
  /** Names of keys by their ids. */
  readonly keyNames?: ReadonlyMap<string, string>;
  /** E-mail addresses of accounts by their ids: with a column of accounts. */
  readonly accountNames?: ReadonlyMap<string, string>;
}

/** The time and the duration of a request: the last columns of every list of requests. */
export const FIGURES: readonly (Column<Receipt> & { key: Name })[] = [
  { key: "time", header: "Time", cell: ({ created_at }) => <Time clock at={created_at} /> },
  {
    key: "tokens",
    header: "Tokens",
    numeric: true,
    wide_only: true,
    cell: ({ usage }) => <Tokens count={usage && totalTokens(usage)} />,
  },
  {
    key: "duration",
    header: "Duration",
    numeric: true,
    className: "whitespace-nowrap",
    wide_only: true,
    cell: ({ duration_ms }) => (duration_ms === null ? <None /> : formatDuration(duration_ms)),
  },
  { key: "charge", header: "Charge", numeric: true, cell: (request) => <ChargeCell of={request} /> },
];

/** The columns of a list of requests. */
export function requestColumns({ without = [], keyNames, accountNames }: Options = {}) {
  const account: Column<Receipt> & { key: Name } = {
    key: "account",
    header: "Account",
    cell: ({ account: id }) => <AccountCell id={id} name={accountNames?.get(id)} />,
  };
  const columns: (Column<Receipt> & { key: Name })[] = [
    {
      key: "model",
      header: "Model",
      heading: true,
      cell: (request) => <ModelCell of={request} names_endpoint={!without.includes("endpoint")} />,
    },
    ...(accountNames === undefined ? [] : [account]),
    { key: "status", header: "Status", cell: (request) => <RequestStatus of={request} /> },
    { key: "key", header: "Key", cell: ({ key_id }) => <KeyCell id={key_id} name={keyNames?.get(key_id)} /> },
    ...FIGURES,
  ];
  return columns.filter(({ key }) => !without.includes(key));
}

export function RequestStatus({ of: request }: { of: Pick<Receipt, "outcome" | "status" | "error"> }) {
  return <StatusBadge status={request.outcome} hint={outcomeHint(request)} />;
}

/** The model, and in small print how it was asked for. */
function ModelCell({ of, names_endpoint }: { of: Receipt; names_endpoint: boolean }) {
  const { id, model, requested_model, endpoint, stream } = of;
  const name = model || requested_model || "no model";
  const asked = [
    requested_model === name ? "" : `as ${requested_model}`,
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

/** An account as a link to its requests. */
function AccountCell({ id, name }: { id: string; name: string | undefined }) {
  return (
    <ShortenedName hint={name ?? id}>
      <QuietLink to="/requests" search={(before) => ({ ...before, account: id })}>
        <LongName>{name ?? id}</LongName>
      </QuietLink>
    </ShortenedName>
  );
}

function ChargeCell({ of: { status, hold_micro, charge_micro, currency } }: { of: Receipt }) {
  if (status !== "held") return <Money micro={charge_micro} currency={currency} />;
  return (
    <span className="whitespace-nowrap text-ink-soft">
      <Money micro={hold_micro} currency={currency} /> held
    </span>
  );
}
