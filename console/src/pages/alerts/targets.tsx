import { useState } from "react";
import { ACCOUNT_ALERT_TYPES, ALERT_TYPE_NAMES, ALERT_TYPE_WORDS } from "../../../../contract/alert-types.ts";
import type { AlertTarget } from "../../../../contract/alerts.ts";
import type { OfAccount } from "../../../../contract/common.ts";
import { useUser } from "../../api/session.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { Badge, StatusBadge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Copyable } from "../../kit/copy-button.tsx";
import { actionsColumn, type Column, DataTable } from "../../kit/data-table.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { EmptyState, Loaded } from "../../kit/states.tsx";
import { toast } from "../../kit/toast.tsx";

const CHANNELS = { mail: "E-mail", webhook: "Webhook", slack: "Slack", s3: "Storage (S3)", file: "File" } as const;

/** What the configuration's file names for usage events hears nothing else. */
const hearsAlerts = ({ types }: AlertTarget) => !types?.includes("usage.settled");

/** The targets, or, where there are none, what would be told and a quick way to the first one. */
export function Targets({ query, may_change }: { query: OfAccount; may_change: boolean }) {
  const targets = useApi("GET /alerts/targets", { query });
  const [removing, setRemoving] = useState<AlertTarget | null>(null);
  const remove = useChange("DELETE /alerts/targets/{target}", ["GET /alerts/targets", "GET /deliveries"]);
  const test = useChange("POST /alerts/targets/{target}/test");
  const { email } = useUser();
  // Here, as the offer is gone with the first target.
  const add = useChange("POST /alerts/targets", ["GET /alerts/targets"]);
  const tellMe = () =>
    add.mutate(
      { body: { ...query, to: `mail:${email}` } },
      { onSuccess: () => toast("Alerts go to you from now on"), onError: ({ message }) => toast(message) },
    );
  const tryIt = ({ id }: AlertTarget) =>
    test.mutate(
      { path: { target: id } },
      {
        onSuccess: ({ sent, reason }) => toast(sent ? "The test has arrived" : `The test did not arrive: ${reason}`),
        onError: ({ message }) => toast(message),
      },
    );
  return (
    <>
      <Loaded query={targets}>
        {({ data, mail }) => (
          <>
            {!data.some(hearsAlerts) && (
              <FirstTarget query={query} busy={add.isPending} onTellMe={may_change && mail ? tellMe : null} />
            )}
            {data.length > 0 && (
              <DataTable
                caption="Targets of alerts and usage events"
                columns={columnsFor({ may_change, onTest: tryIt, onRemove: setRemoving })}
                rows={data}
                file={{ name: "alert-targets" }}
                rowKey={({ id }) => id}
              />
            )}
          </>
        )}
      </Loaded>
      <ConfirmDialog
        open={removing !== null}
        onClose={() => setRemoving(null)}
        title="Remove this target?"
        action="Remove"
        danger
        done="Target removed"
        onConfirm={() => remove.mutateAsync({ path: { target: removing?.id ?? "" } })}
      >
        It hears no more, and what waits for it is not sent.
      </ConfirmDialog>
    </>
  );
}

interface FirstProps {
  readonly query: OfAccount;
  readonly busy: boolean;
  /** Null where the user may not, or where there is no mail. */
  readonly onTellMe: (() => void) | null;
}

/** The defaults, at the first visit. */
function FirstTarget({ query, busy, onTellMe }: FirstProps) {
  const types = query.account === undefined ? ALERT_TYPE_NAMES : ACCOUNT_ALERT_TYPES;
  return (
    <EmptyState
      icon="bell"
      title="Nobody is told yet"
      action={
        onTellMe && (
          <Button kind="primary" busy={busy} onClick={onTellMe}>
            Tell me by e-mail
          </Button>
        )
      }
    >
      <p>A target hears when:</p>
      <ul className="mt-2 space-y-1.5 text-left">
        {types.map((type) => (
          <li key={type}>
            <Badge>{type}</Badge> {ALERT_TYPE_WORDS[type]}
          </li>
        ))}
      </ul>
    </EmptyState>
  );
}

interface ColumnParts {
  readonly may_change: boolean;
  readonly onTest: (target: AlertTarget) => void;
  readonly onRemove: (target: AlertTarget) => void;
}

function columnsFor({ may_change, onTest, onRemove }: ColumnParts): readonly Column<AlertTarget>[] {
  const shown: Column<AlertTarget>[] = [
    {
      key: "to",
      header: "Target",
      heading: true,
      cell: ({ channel, to }) => (
        <span className="block min-w-0">
          <span className="block">{CHANNELS[channel]}</span>
          <span className="block break-all font-mono text-[0.8rem] font-normal text-ink-soft">{to}</span>
        </span>
      ),
    },
    {
      key: "types",
      header: "Hears",
      cell: ({ types }) => (types === null ? "everything" : types.map((type) => <Badge key={type}>{type}</Badge>)),
    },
    {
      key: "state",
      header: "State",
      cell: ({ ended_reason, of_file }) => (
        <StatusBadge
          status={ended_reason === null ? "active" : "failed"}
          label={ended_reason === null ? (of_file ? "active, of the file" : "active") : "ended"}
          {...(ended_reason !== null && { hint: ended_reason })}
        />
      ),
    },
  ];
  if (!may_change) return shown;
  return [
    ...shown,
    {
      key: "secret",
      header: "Signing secret",
      cell: ({ secret }) => (secret === undefined ? "" : <Copyable value={secret} shown="whsec_…" />),
    },
    actionsColumn((target) => (
      <span className="inline-flex gap-2">
        <Button size="small" onClick={() => onTest(target)}>
          Send a test
        </Button>
        {!target.of_file && (
          <Button size="small" onClick={() => onRemove(target)}>
            Remove
          </Button>
        )}
      </span>
    )),
  ];
}
