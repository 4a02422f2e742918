import { useState } from "react";
import type { ManagementKey } from "../../../../contract/management-keys.ts";
import { useApiPages, useChange } from "../../api/use-api.ts";
import { Badge, StatusBadge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { actionsColumn, type Column, DataTable } from "../../kit/data-table.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { fileOfPages } from "../../kit/file-of-pages.ts";
import { ShowOlder } from "../../kit/pagination.tsx";
import { EmptyState, Loaded } from "../../kit/states.tsx";
import { Time } from "../../kit/values.tsx";
import { NewManagementKeyDialog } from "./new-management-key-dialog.tsx";

/**
 * The keys of programs that administer: of one account, or (`account` left out) of all of them, as administrators see
 * them.
 */
export function ManagementKeys({ account }: { account?: string }) {
  const query = account === undefined ? {} : { account };
  const keys = useApiPages("GET /management-keys", { query });
  const [asked, setAsked] = useState<"new" | ManagementKey | null>(null);
  const revoke = useChange("POST /management-keys/{management_key}/revoke", ["GET /management-keys", "GET /audit-log"]);
  const revoking = asked !== null && asked !== "new" ? asked : null;
  return (
    <Card
      title="Management keys"
      description="For programs that administer, each with the scopes that it needs. They cannot call models."
      actions={
        <Button size="small" icon="plus" onClick={() => setAsked("new")}>
          New management key
        </Button>
      }
      flush
    >
      <Loaded query={keys}>
        {() =>
          keys.rows.length === 0 ? (
            <EmptyState icon="key" title="No management keys">
              Give each script that creates keys or reads usage its own key.
            </EmptyState>
          ) : (
            <DataTable
              caption="Management keys"
              columns={columnsFor(setAsked)}
              rows={keys.rows}
              file={fileOfPages("management-keys", keys)}
              rowKey={({ id }) => id}
            />
          )
        }
      </Loaded>
      <ShowOlder pages={keys} />
      <NewManagementKeyDialog open={asked === "new"} onClose={() => setAsked(null)} account={account} />
      <ConfirmDialog
        open={revoking !== null}
        onClose={() => setAsked(null)}
        title={`Revoke the management key ${revoking?.name}?`}
        action="Revoke key"
        danger
        done="Management key revoked"
        onConfirm={() => revoke.mutateAsync({ path: { management_key: revoking?.id ?? "" } })}
      >
        Programs that use it are refused from their next call on. It stays in this list.
      </ConfirmDialog>
    </Card>
  );
}

function columnsFor(onRevoke: (key: ManagementKey) => void): readonly Column<ManagementKey>[] {
  return [
    {
      key: "name",
      header: "Key",
      heading: true,
      cell: ({ name, hint }) => (
        <span className="block min-w-0">
          <span className="block break-words">{name}</span>
          <span className="block font-mono text-[0.8rem] font-normal text-ink-soft">cmm-…{hint}</span>
        </span>
      ),
    },
    { key: "status", header: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
    {
      key: "scopes",
      header: "Scopes",
      cell: ({ scopes }) => (
        <span className="inline-flex max-w-96 flex-wrap gap-1 max-sm:justify-end">
          {scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </span>
      ),
    },
    { key: "used", header: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    { key: "expires", header: "Expires", cell: ({ expires_at }) => <Time at={expires_at} /> },
    actionsColumn((key) =>
      key.status === "active" ? (
        <Button size="small" onClick={() => onRevoke(key)}>
          Revoke
        </Button>
      ) : null,
    ),
  ];
}
