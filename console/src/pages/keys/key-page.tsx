import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { Key } from "../../../../contract/keys.ts";
import { ApiError } from "../../api/api-error.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { useLive } from "../../api/use-live.ts";
import { NotFound } from "../../app/not-found.tsx";
import { Badge, StatusBadge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { Loaded, Notice } from "../../kit/states.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { toast, toastError } from "../../kit/toast.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { useMay } from "../../kit/use-account.ts";
import { Time } from "../../kit/values.tsx";
import { DisableDialog, KeyActions } from "./key-actions.tsx";
import { KeyAliases } from "./key-aliases.tsx";
import { KeyLimits } from "./key-limits.tsx";
import { KeyOverview } from "./key-overview.tsx";
import { KEY_READS } from "./key-reads.ts";
import { KeySnippets } from "./key-snippets.tsx";
import { keyName, keyState, maskedKey } from "./key-state.ts";

/** One key: its requests, its aliases, its limits, and snippets. */
export function KeyPage() {
  const { id } = useParams({ from: "/signed-in/keys/$id" });
  const key = useApi("GET /keys/{key}", { path: { key: id } });
  if (key.error instanceof ApiError && key.error.status === 404 && key.data === undefined) return <NotFound />;
  return <Loaded query={key}>{(found) => <OneKey key={found.id} found={found} />}</Loaded>;
}

function OneKey({ found }: { found: Key }) {
  const navigate = useNavigate();
  const [{ tab = "overview" }, setSearch] = useUrlState("tab");
  useLive(found.account, ["GET /keys/{key}", "GET /budgets", "GET /requests", "GET /usage/explore"]);
  const aliases = found.aliases.length + found.prefix_aliases.length;
  const tabs = [
    { id: "overview", label: "Overview", content: <KeyOverview of={found} /> },
    { id: "aliases", label: aliases === 0 ? "Aliases" : `Aliases (${aliases})`, content: <KeyAliases of={found} /> },
    { id: "limits", label: "Limits", content: <KeyLimits of={found} /> },
    { id: "snippets", label: "Snippets", content: <SnippetsTab of={found} /> },
  ];
  return (
    <>
      <PageHeader
        title={keyName(found)}
        breadcrumb={[{ label: "Keys", to: "/keys" }]}
        shown_title={
          <>
            <span className="min-w-0 break-words">{keyName(found)}</span>
            <StatusBadge status={keyState(found, Date.now())} />
            {found.playground && <Badge>playground</Badge>}
          </>
        }
        actions={
          <>
            <SwitchButton of={found} />
            <KeyActions for_key={found} onDeleted={() => void navigate({ to: "/keys" })} />
          </>
        }
      />
      <Standing of={found} />
      <Tabs
        label={`About ${keyName(found)}`}
        tabs={tabs}
        value={tabs.some(({ id }) => id === tab) ? tab : "overview"}
        onChange={(chosen) => setSearch({ tab: chosen === "overview" ? undefined : chosen })}
      />
    </>
  );
}

/** The button that disables or enables a key. A revoked key has no such button. */
function SwitchButton({ of: key }: { of: Key }) {
  const [asking, setAsking] = useState(false);
  const may = useMay();
  const enable = useChange("POST /keys/{key}/enable", KEY_READS);
  if (key.status === "revoked" || !may("keys:write")) return null;
  if (key.status === "disabled")
    return (
      <Button
        icon="play"
        busy={enable.isPending}
        onClick={() =>
          enable.mutate(
            { path: { key: key.id } },
            { onSuccess: () => toast(`${keyName(key)} is enabled`), onError: toastError },
          )
        }
      >
        Enable
      </Button>
    );
  return (
    <>
      <Button icon="pause" onClick={() => setAsking(true)}>
        Disable
      </Button>
      <DisableDialog for_key={key} open={asking} onClose={() => setAsking(false)} />
    </>
  );
}

const REFUSED = {
  disabled: "This key is disabled: requests with it are refused with 401.",
  revoked: "This key is revoked and never works again. Create another one to replace it.",
  expired:
    "This key has expired: requests with it are refused with 401. A later expiry, under Limits, lets it work again.",
} as const;

function Standing({ of: key }: { of: Key }) {
  const state = keyState(key, Date.now());
  if (state === "active") return <OldSecret until={key.old_secret_until} />;
  return (
    <div className="mb-5">
      <Notice tone={state === "revoked" ? "danger" : "warn"}>{REFUSED[state]}</Notice>
    </div>
  );
}

/** Reminds of the secret before the last roll, as long as it is valid. */
function OldSecret({ until }: { until: string | null }) {
  if (until === null || Date.parse(until) <= Date.now()) return null;
  return (
    <div className="mb-5">
      <Notice tone="info">
        This key was rolled. Programs may use its old secret until <Time clock at={until} />.
      </Notice>
    </div>
  );
}

function SnippetsTab({ of: key }: { of: Key }) {
  return (
    <Card
      title="A first call"
      description={`Put the key in the place of ${maskedKey(key)}: only its last letters are known here.`}
    >
      <KeySnippets for_key={key} secret={maskedKey(key)} />
    </Card>
  );
}
