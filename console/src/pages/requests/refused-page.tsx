import type { RefusedDetail } from "../../../../contract/refusals.ts";
import { Badge } from "../../kit/badge.tsx";
import { Card, Facts } from "../../kit/card.tsx";
import { Copyable } from "../../kit/copy-button.tsx";
import { LongName } from "../../kit/long-name.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { Notice } from "../../kit/states.tsx";
import { Time } from "../../kit/values.tsx";
import { keyName } from "../keys/key-state.ts";
import { modelParams } from "../keys/model-params.ts";
import { RequestStatus } from "./request-columns.tsx";
import { refusalText, UNREAD_MODEL } from "./request-words.ts";

/** A request that was refused before a vendor was called: what the client asked for, and what it was told. */
export function RefusedPage({ of: refused }: { of: RefusedDetail }) {
  const name = refused.model ?? refused.requested_model ?? UNREAD_MODEL;
  return (
    <>
      <PageHeader
        title={`Refused request of ${name}`}
        breadcrumb={[{ label: "Requests", to: "/requests" }]}
        shown_title={
          <>
            <span className="min-w-0 [overflow-wrap:anywhere]">
              <LongName>{name}</LongName>
            </span>
            <RequestStatus of={refused} />
          </>
        }
        description="Refused before a vendor was called. It cost nothing."
        actions={<Copyable value={refused.id} />}
      />
      <div className="space-y-5">
        <Notice tone="danger">{refused.message}</Notice>
        <RefusedFacts of={refused} />
      </div>
    </>
  );
}

function RefusedFacts({ of: refused }: { of: RefusedDetail }) {
  const { key, client_request_id, requested_model, model, endpoint, account } = refused;
  return (
    <Card title="Details">
      <Facts
        facts={[
          ["Time", <Time clock key="time" at={refused.created_at} />],
          [
            "Error",
            <code key="error" className="font-mono text-[0.88rem]">
              {refusalText(refused)}
            </code>,
          ],
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
          ["Account", <Copyable key="account" value={account} />],
          [
            "Asked for",
            requested_model === null ? (
              "Unknown: refused before its body was read"
            ) : (
              <code key="asked" className="font-mono text-[0.88rem]">
                {requested_model}
              </code>
            ),
          ],
          model === null
            ? null
            : [
                "Model",
                <TextLink key="model" to="/models/$vendor/$name" params={modelParams(model)}>
                  {model}
                </TextLink>,
              ],
          ["Endpoint", endpoint],
          client_request_id === null ? null : ["Client's id", <Copyable key="client" value={client_request_id} />],
        ]}
      />
    </Card>
  );
}
