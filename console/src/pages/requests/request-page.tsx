import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { ReceiptDetail } from "../../../../contract/requests.ts";
import { OTHER_TAGS, tagTexts } from "../../../../contract/tag-rules.ts";
import { ApiError, messageOf } from "../../api/api-error.ts";
import { useIsAdministrator } from "../../api/session.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { useNames } from "../../api/use-names.ts";
import { Missing } from "../../app/not-found.tsx";
import { ALL_ACCOUNTS, useAllAccounts } from "../../kit/all-accounts.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Card, Facts } from "../../kit/card.tsx";
import { Copyable } from "../../kit/copy-button.tsx";
import { cx } from "../../kit/cx.ts";
import { formatDuration } from "../../kit/format.ts";
import { FittingName, LongName } from "../../kit/long-name.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { Loaded, Notice } from "../../kit/states.tsx";
import { toast } from "../../kit/toast.tsx";
import { useMay } from "../../kit/use-account.ts";
import { None, Time } from "../../kit/values.tsx";
import { keyName } from "../keys/key-state.ts";
import { modelParams } from "../keys/model-params.ts";
import { Attempts } from "./attempts.tsx";
import { Bill } from "./bill.tsx";
import { ContentSides } from "./content-sides.tsx";
import { RefusedPage } from "./refused-page.tsx";
import { RequestStatus } from "./request-columns.tsx";
import { outcomeSentence } from "./request-words.ts";
import { type Stretch, timelineOf } from "./timeline.ts";

const COLOURS: Readonly<Record<Stretch["kind"], string>> = {
  gateway: "bg-line-strong",
  hook: "bg-ink-soft",
  waiting: "bg-marker",
  answering: "bg-accent",
  failed: "bg-danger",
};

const RUNNING_MS = 1_000;

/** A request's receipt, which is read every second while the request runs. */
export function RequestPage() {
  const { id } = useParams({ from: "/signed-in/requests/$id" });
  const receipt = useApi(
    "GET /requests/{request}",
    { path: { request: id } },
    { refresh_ms: (answer) => (answer?.status === "held" ? RUNNING_MS : false) },
  );
  if (receipt.error instanceof ApiError && receipt.error.status === 404 && receipt.data === undefined)
    return <Missing title="There is no such request" description={receipt.error.message} />;
  return (
    <Loaded query={receipt}>
      {(found) => (found.object === "refused_request" ? <RefusedPage of={found} /> : <Receipt of={found} />)}
    </Loaded>
  );
}

function Receipt({ of: receipt }: { of: ReceiptDetail }) {
  const name = receipt.model || receipt.requested_model || "no model";
  return (
    <>
      <PageHeader
        title={`Request of ${name}`}
        breadcrumb={[{ label: "Requests", to: "/requests" }]}
        shown_title={
          <>
            <span className="min-w-0 [overflow-wrap:anywhere]">
              <LongName>{name}</LongName>
            </span>
            <RequestStatus of={receipt} />
          </>
        }
        description={outcomeSentence(receipt)}
        actions={
          <>
            <Copyable value={receipt.id} />
            <Button icon="print" onClick={() => window.print()}>
              Print
            </Button>
          </>
        }
      />
      <div className="space-y-5">
        {receipt.error !== null && (
          <Notice tone="danger">
            It failed: <code className="font-mono">{receipt.error}</code>
          </Notice>
        )}
        <div className="grid items-start gap-5 xl:grid-cols-[1fr_24rem]">
          <div className="min-w-0 space-y-5">
            <Bill of={receipt} />
            <Attempts of={receipt} />
            <WhatWasSaid of={receipt} />
          </div>
          <div className="min-w-0 space-y-5">
            <RequestFacts of={receipt} />
            <Timings of={receipt} />
          </div>
        </div>
      </div>
    </>
  );
}

function RequestFacts({ of: receipt }: { of: ReceiptDetail }) {
  const administrator = useIsAdministrator();
  const account = useNames([receipt.account], administrator).get(receipt.account) ?? receipt.account;
  const { key, client_request_id, requested_model, model, endpoint, stream, tags_counted: counted } = receipt;
  return (
    <Card title="Details">
      <Facts
        facts={[
          ["Time", <Time clock key="time" at={receipt.created_at} />],
          administrator
            ? [
                "Account",
                <TextLink key="account" to="/admin/accounts/$id" params={{ id: receipt.account }}>
                  <FittingName>{account}</FittingName>
                </TextLink>,
              ]
            : null,
          [
            "Key",
            key.deleted ? (
              <span key="key">
                {keyName(key)} <Badge>deleted</Badge>
              </span>
            ) : (
              <TextLink key="key" to="/keys/$id" params={{ id: key.id }}>
                {keyName(key)}
              </TextLink>
            ),
          ],
          [
            "Asked for",
            <code key="asked" className="font-mono text-[0.88rem]">
              {requested_model || "nothing"}
            </code>,
          ],
          [
            receipt.usage === null ? "Model" : "Answered by",
            model === "" ? (
              <None key="model" />
            ) : (
              <TextLink key="model" to="/models/$vendor/$name" params={modelParams(model)}>
                {model}
              </TextLink>
            ),
          ],
          ["Endpoint", stream ? `${endpoint}, streamed` : endpoint],
          ["Tags", <RequestTags key="tags" of={receipt} />],
          counted === undefined ? null : ["Counted as", <CountedTags key="counted" counted={counted} />],
          client_request_id === null ? null : ["Client's id", <Copyable key="client" value={client_request_id} />],
        ]}
      />
    </Card>
  );
}

type Tagged = Pick<ReceiptDetail, "account" | "tags" | "tags_counted">;

/** The tags that a request carried itself, each as a link to the requests that carry it, too. */
function RequestTags({ of: { account, tags } }: { of: Tagged }) {
  const shows_all = useAllAccounts();
  const texts = tagTexts(tags);
  if (texts.length === 0) return "none";
  return (
    <ul className="space-y-0.5 font-mono text-[0.85rem] [overflow-wrap:anywhere]">
      {texts.map((tag) => (
        <li key={tag}>
          <TextLink to="/requests" search={{ tag, account: shows_all ? ALL_ACCOUNTS : account }}>
            <LongName>{tag}</LongName>
          </TextLink>
        </li>
      ))}
    </ul>
  );
}

/** How usage counts a request's tags where its day had no room for all of them, and why. */
function CountedTags({ counted }: { counted: NonNullable<Tagged["tags_counted"]> }) {
  return (
    <>
      <ul className="space-y-0.5 font-mono text-[0.85rem] [overflow-wrap:anywhere]">
        {tagTexts(counted).map((tag) => (
          <li key={tag}>
            <LongName>{tag}</LongName>
          </li>
        ))}
      </ul>
      <p className="mt-1 text-[0.85rem] text-ink-soft">
        The account's requests had more tag names or values on this day than are counted separately. Usage counts the
        others under {OTHER_TAGS}.
      </p>
    </>
  );
}

/** The parts of a request's time, as a waterfall. */
function Timings({ of: receipt }: { of: ReceiptDetail }) {
  const timeline = timelineOf(receipt);
  return (
    <Card
      title="Timings"
      description={
        timeline === null
          ? undefined
          : `${formatDuration(timeline.total_ms)} in all${receipt.first_byte_ms === null ? "" : `, first byte after ${formatDuration(receipt.first_byte_ms)}`}`
      }
    >
      {timeline === null ? (
        <p className="text-ink-soft">Known when the request ends.</p>
      ) : (
        <ol className="space-y-2.5">
          {timeline.stretches.map((stretch) => (
            <Row key={stretch.key} stretch={stretch} total_ms={timeline.total_ms} />
          ))}
        </ol>
      )}
    </Card>
  );
}

function Row({ stretch: { label, kind, start_ms, end_ms }, total_ms }: { stretch: Stretch; total_ms: number }) {
  const share = (ms: number) => `${(100 * ms) / Math.max(1, total_ms)}%`;
  return (
    <li>
      <div className="flex items-baseline justify-between gap-4 text-[0.88rem]">
        <span className="min-w-0 truncate">{label}</span>
        <span className="shrink-0 text-ink-soft tabular-nums">{formatDuration(end_ms - start_ms)}</span>
      </div>
      <div aria-hidden="true" className="mt-1 h-2 overflow-hidden rounded-full bg-sunken">
        <div
          className={cx("h-full min-w-1 rounded-full", COLOURS[kind])}
          style={{ marginLeft: share(start_ms), width: share(end_ms - start_ms) }}
        />
      </div>
    </li>
  );
}

/** What a request and its answer said, where that is kept, for those who may read it. Nothing is read until someone asks: each look is in the audit log. */
function WhatWasSaid({ of: receipt }: { of: ReceiptDetail }) {
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
