import type { Key } from "../../../../contract/keys.ts";
import { CALM_MS, useApi } from "../../api/use-api.ts";
import { Badge, StatusBadge } from "../../kit/badge.tsx";
import { LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { LongName } from "../../kit/long-name.tsx";
import { RowLink, TextLink } from "../../kit/row-link.tsx";
import { EmptyState, Loaded } from "../../kit/states.tsx";
import { Time } from "../../kit/values.tsx";

const COLUMNS: readonly Column<Key>[] = [
  {
    key: "name",
    header: "Key",
    heading: true,
    cell: ({ id, account, name, hint, playground }) => (
      <div className="text-left">
        <span className="flex flex-wrap items-center gap-x-2">
          <RowLink to="/keys/$id" params={{ id }} search={{ account }}>
            <LongName>{name || "Key without a name"}</LongName>
          </RowLink>
          {playground && <Badge hint="Made by the playground">playground</Badge>}
        </span>
        <code className="font-mono text-[0.82rem] font-normal text-ink-soft">…{hint}</code>
      </div>
    ),
  },
  { key: "status", header: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
  { key: "used", header: "Last used", numeric: true, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
];

const SHOWN = "8";

/** The account's newest keys. */
export function AccountKeys({ account }: { account: string }) {
  const keys = useApi("GET /keys", { query: { account, limit: SHOWN } }, { refresh_ms: CALM_MS });
  const search = { account };
  return (
    <Card
      title="Keys"
      actions={
        <TextLink to="/keys" search={search}>
          All keys
        </TextLink>
      }
      flush
    >
      <Loaded query={keys}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState
              icon="key"
              title="No keys yet"
              action={
                <LinkButton to="/keys/new" search={search} icon="plus">
                  Create a key for it
                </LinkButton>
              }
            >
              Its members can make one too.
            </EmptyState>
          ) : (
            <DataTable caption="Keys" columns={COLUMNS} rows={data} file={null} rowKey={({ id }) => id} />
          )
        }
      </Loaded>
    </Card>
  );
}
