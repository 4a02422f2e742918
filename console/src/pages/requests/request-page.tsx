import { useParams } from "@tanstack/react-router";
import type { ReceiptDetail } from "../../../../contract/requests.ts";
import { ApiError } from "../../api/api-error.ts";
import { useIsAdministrator } from "../../api/session.ts";
import { useApi } from "../../api/use-api.ts";
import { useNames } from "../../api/use-names.ts";
import { Missing } from "../../app/not-found.tsx";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Card, Facts } from "../../kit/card.tsx";
import { Copyable } from "../../kit/copy-button.tsx";
import { FittingName, LongName } from "../../kit/long-name.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { Loaded, Notice } from "../../kit/states.tsx";
import { None, Time } from "../../kit/values.tsx";
import { keyName } from "../keys/key-state.ts";
import { modelParams } from "../keys/model-params.ts";
import { Attempts } from "./attempts.tsx";
import { Bill } from "./bill.tsx";
import { RefusedPage } from "./refused-page.tsx";
import { RequestStatus } from "./request-columns.tsx";
import { CountedTags, RequestTags } from "./request-tags.tsx";
import { outcomeSentence } from "./request-words.ts";
import { Timings } from "./timings.tsx";
import { WhatWasSaid } from "./what-was-said.tsx";

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
