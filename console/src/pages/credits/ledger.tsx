import type { Entry, EntryKind } from "../../../../contract/credits.ts";
import { urlOf } from "../../api/call.ts";
import { useIsAdministrator, useUser } from "../../api/session.ts";
import { useApiPages } from "../../api/use-api.ts";
import { useNames } from "../../api/use-names.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { DownloadLink } from "../../kit/download-link.tsx";
import { FilterSelect } from "../../kit/filter-bar.tsx";
import { Pagination } from "../../kit/pagination.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { EmptyState, Loaded } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { Time } from "../../kit/values.tsx";
import { ExactAmount } from "./exact-amount.tsx";

const KINDS: readonly { value: EntryKind; label: string; tone: Tone }[] = [
  { value: "credit", label: "Credits", tone: "good" },
  { value: "charge", label: "Charges", tone: "neutral" },
  { value: "correction", label: "Corrections", tone: "warn" },
];

/** The account's ledger, newest first: each entry with the sum of all entries up to it. */
export function Ledger({ account }: { account: string }) {
  const [search] = useUrlState("kind");
  const kind = KINDS.find(({ value }) => value === search.kind)?.value;
  const entries = useApiPages("GET /accounts/{account}/credits", { path: { account }, query: { kind, limit: "50" } });
  const nameOf = useActorNames(entries.rows.map(({ actor }) => actor));
  return (
    <Card
      title="Ledger"
      flush
      actions={
        <span className="flex flex-wrap items-center gap-2.5">
          <FilterSelect name="kind" label="Kind of entry" all="All entries" options={KINDS} />
          <DownloadLink
            href={urlOf("/accounts/{account}/credits", { path: { account }, query: { kind, format: "csv" } })}
          />
        </span>
      }
    >
      <Loaded query={entries}>
        {(data) =>
          entries.rows.length === 0 ? (
            <NothingBooked kind={kind} />
          ) : (
            <DataTable
              caption="Ledger"
              columns={columns(data.pages[0]?.currency ?? "", nameOf)}
              rows={entries.rows}
              file={null}
              rowKey={({ id }) => id}
              footer={<Pagination pages={entries} noun={entries.rows.length === 1 ? "entry" : "entries"} />}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function columns(currency: string, nameOf: (actor: string) => string): Column<Entry>[] {
  return [
    {
      key: "what",
      header: "Entry",
      heading: true,
      className: "font-normal",
      cell: (entry) => <What entry={entry} who={nameOf(entry.actor)} />,
    },
    { key: "time", header: "When", cell: ({ created_at }) => <Time clock at={created_at} /> },
    {
      key: "amount",
      header: "Amount",
      numeric: true,
      cell: ({ amount_micro }) => <ExactAmount signed micro={amount_micro} currency={currency} />,
    },
    {
      key: "sum",
      header: "Sum",
      numeric: true,
      cell: ({ posted_after_micro }) => <ExactAmount micro={posted_after_micro} currency={currency} />,
    },
  ];
}

/** An entry's kind and reason: the request of a charge, or the note of a credit and the actor who booked it. */
function What({ entry, who }: { entry: Entry; who: string }) {
  const tone = KINDS.find(({ value }) => value === entry.kind)?.tone;
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
      <Badge tone={tone}>{entry.kind}</Badge>
      {entry.request !== null ? (
        <span className="whitespace-nowrap">
          <TextLink to="/requests/$id" params={{ id: entry.request }}>
            request …{entry.request.slice(-6)}
          </TextLink>
        </span>
      ) : null}
      {entry.corrects !== null && <span className="text-[0.88rem]">corrects {entry.corrects}</span>}
      {entry.note !== "" && <span className="min-w-0 break-words">{entry.note}</span>}
      {entry.kind !== "charge" && <span className="text-[0.88rem] text-ink-soft">by {who}</span>}
    </span>
  );
}

function NothingBooked({ kind }: { kind: EntryKind | undefined }) {
  const administrator = useIsAdministrator();
  if (kind !== undefined) {
    return (
      <EmptyState icon="credits" title={`No ${kind}s`}>
        There is no entry of this kind. Choose “All entries” to see the others.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon="credits" title="Nothing is booked yet">
      {administrator
        ? "Add credit, and this account's keys can make requests. Each charge appears here as it is made."
        : "As soon as credit is added, your keys can make requests. Each charge appears here as it is made."}
    </EmptyState>
  );
}

/** Names of the actors of entries: administrators see e-mail addresses, members see only whether they are the actor. */
function useActorNames(actors: readonly string[]): (actor: string) => string {
  const user = useUser();
  const administrator = useIsAdministrator();
  const names = useNames(actors, administrator);
  return (actor) => {
    if (actor === user.id) return "you";
    if (actor === "gateway") return "the gateway";
    if (actor === "admin-token") return administrator ? "the admin token" : "an administrator";
    return names.get(actor) || "an administrator";
  };
}
