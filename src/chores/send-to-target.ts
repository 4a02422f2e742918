import type { SubKeys } from "../access/sub-keys.ts";
import type { AlertEvent } from "../alerts/alert-event.ts";
import { RECEIPT_TYPE } from "../alerts/alert-types.ts";
import { alertWords } from "../alerts/alert-words.ts";
import type { MailSettings } from "../core/catalog/mail-settings.ts";
import type { DeliveryTarget } from "../core/deliveries/targets.ts";
import { formatAmount, micro } from "../core/money/money.ts";
import type { SmtpServer } from "../mail/smtp-server.ts";
import { type Letter, writeAlert, writeReceipt } from "../mail/write-letter.ts";
import type { GuardedClient } from "../webhooks/guarded-client.ts";
import { signedHeaders, signingSecret } from "../webhooks/sign-webhook.ts";
import { failedWith, type Tried, triedWith } from "./tried.ts";

export interface TargetWays {
  readonly keys: SubKeys;
  readonly client: Pick<GuardedClient, "post">;
  /** Absent where the gateway sends no mail. */
  readonly mail?: { readonly settings: MailSettings; readonly server: Pick<SmtpServer, "send"> };
  /** The wall clock. */
  readonly now_ms: () => number;
}

export interface StoppedWays {
  readonly client: Pick<GuardedClient, "stop">;
}

/** The event's id is the same in every try; `body` is sent and signed byte for byte. */
export interface TargetMessage {
  readonly id: string;
  readonly body: string;
}

export async function sendToTarget(
  ways: TargetWays,
  target: DeliveryTarget,
  { id, body }: TargetMessage,
): Promise<Tried> {
  const { keys, client, now_ms } = ways;
  const { address: url, may_be_private } = target;
  const headers = { "content-type": "application/json", "user-agent": "camino" };
  try {
    switch (target.channel) {
      case "webhook": {
        const signed = signedHeaders(signingSecret(keys.target_secret, target.id), { id, sent_ms: now_ms(), body });
        return triedWith(await client.post({ url, headers: { ...headers, ...signed }, body, may_be_private }));
      }
      case "slack":
        return triedWith(await client.post({ url, headers, body: slackBody(body), may_be_private }));
      case "mail":
        return await sendMail(ways, target, { id, body });
      case "s3":
      case "file":
        throw new Error(`the target ${target.id} takes usage events alone`);
    }
  } catch (thrown) {
    return failedWith(thrown);
  }
}

async function sendMail(
  { mail }: TargetWays,
  { address }: DeliveryTarget,
  { id, body }: TargetMessage,
): Promise<Tried> {
  if (mail === undefined) {
    const reason = "this gateway sends no mail";
    return { how: "failed", status: null, reason, is_final: true, is_of_server: false, is_gone: false };
  }
  const event = readEvent(body);
  const facts = { to: address, origin: mail.settings.origin };
  const letter = event.type === RECEIPT_TYPE ? receiptOf(event, facts) : writeAlert({ ...facts, ...alertWords(event) });
  await mail.server.send(letter, id);
  return { how: "sent", status: null };
}

function receiptOf({ data, timestamp }: AlertEvent, facts: { readonly to: string; readonly origin: string }): Letter {
  const amount = (name: string): string => `${formatAmount(micro(Number(data[name] ?? 0)))} ${data.currency}`;
  return writeReceipt({
    ...facts,
    ...{ account: String(data.account_name), amount: amount("amount_micro"), balance: amount("balance_micro") },
    ...{ note: String(data.note), entry: String(data.entry), added_ms: Date.parse(timestamp) },
  });
}

/** Slack's shape of an incoming webhook. Only these three characters mean something in a name. */
function slackBody(body: string): string {
  const { title, sentences } = alertWords(readEvent(body));
  const escaped = (text: string): string =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return JSON.stringify({ text: [`*${escaped(title)}*`, ...sentences.map(escaped)].join("\n") });
}

function readEvent(body: string): AlertEvent {
  return JSON.parse(body) as AlertEvent;
}
