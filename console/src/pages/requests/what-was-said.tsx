import { useState } from "react";
import type { ReceiptDetail } from "../../../../contract/requests.ts";
import { ApiError, messageOf } from "../../api/api-error.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { Loaded, Notice } from "../../kit/states.tsx";
import { toast } from "../../kit/toast.tsx";
import { useMay } from "../../kit/use-account.ts";
import { ContentSides } from "./content-sides.tsx";

/** What a request and its answer said, where that is kept, for those who may read it. Nothing is read until someone asks: each look is in the audit log. */
export function WhatWasSaid({ of: receipt }: { of: ReceiptDetail }) {
  const may = useMay();
  const [asked, setAsked] = useState(false);
  if (!may("content:read")) return null;
  return (
    <Card title="What was said">
      {asked ? (
        <Said of={receipt} may_switch={may("content:write")} />
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-ink-soft">Each look is written in the audit log, with who looked.</p>
          <Button onClick={() => setAsked(true)}>Show what was said</Button>
        </div>
      )}
    </Card>
  );
}

function Said({ of: { id, account, key }, may_switch }: { of: ReceiptDetail; may_switch: boolean }) {
  const content = useApi("GET /contents/{request}", { path: { request: id }, query: { account } });
  if (content.error instanceof ApiError && content.error.status === 404)
    return <NothingKept account={account} key_id={key.id} may_switch={may_switch} />;
  return <Loaded query={content}>{(found) => <ContentSides of={found} />}</Loaded>;
}

function NothingKept({ account, key_id, may_switch }: { account: string; key_id: string; may_switch: boolean }) {
  const change = useChange("PUT /contents/switches", ["GET /audit-log"]);
  const keep = () =>
    change.mutate(
      { body: { account, key: key_id, content_log: true } },
      { onSuccess: () => toast("What this key's requests say is kept from now on") },
    );
  return (
    <div className="space-y-3">
      <p className="text-ink-soft">
        Nothing is kept of this request: it is kept only where an owner or an administrator has said so before.
      </p>
      {may_switch && (
        <Button onClick={keep} busy={change.isPending}>
          Keep it for this key from now on
        </Button>
      )}
      {change.error && <Notice tone="danger">{messageOf(change.error)}</Notice>}
    </div>
  );
}
