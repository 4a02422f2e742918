import { existsSync } from "node:fs";
import type { Configuration } from "../core/catalog/catalog.ts";
import type { UsageAddress } from "../core/catalog/usage-event-settings.ts";
import { tryFolder } from "../webhooks/append-lines.ts";
import { GuardedClient, PostError } from "../webhooks/guarded-client.ts";
import { putRequest, readStorage } from "../webhooks/put-object.ts";
import { type Finding, failed, note, ok } from "./shared/finding.ts";

/**
 * Tries each target of usage events: a storage takes the object `camino-test.jsonl`, a folder a file that is taken away again, and a webhook is asked
 * without a signature, so that its receiver refuses what it gets. Addresses are shown by their hosts alone.
 */
export async function checkUsageTargets({ usage_events }: Configuration, now_ms: () => number): Promise<Finding[]> {
  return await Promise.all((usage_events?.to ?? []).map((target) => checkTarget(target, now_ms)));
}

async function checkTarget({ channel, address }: UsageAddress, now_ms: () => number): Promise<Finding> {
  const subject = `usage events, ${channel === "file" ? "folder" : new URL(address).host}`;
  try {
    if (channel === "file") {
      if (!existsSync(address)) return note(subject, `${address} is not there yet: the gateway makes it.`);
      await tryFolder(address);
      return ok(subject, `Lines can be appended in ${address}.`);
    }
    if (channel === "webhook") return judgeWebhook(subject, await askUnsigned(address));
    const object = { name: "camino-test.jsonl", body: "\n", content_type: "application/x-ndjson", now_ms: now_ms() };
    const status = await new GuardedClient().post(await putRequest(readStorage(address), object));
    if (status >= 200 && status < 300) return ok(subject, "The storage has taken a test object.");
    return failed(subject, `The storage answered ${status}. Check key, secret, bucket and region in usage_events.to.`);
  } catch (thrown) {
    if (!(thrown instanceof PostError)) throw thrown;
    return failed(subject, `${sentence(thrown.message)} Check usage_events.to.`);
  }
}

async function askUnsigned(url: string): Promise<number> {
  const headers = { "content-type": "application/json", "user-agent": "camino" };
  const body = JSON.stringify({ type: "test", data: {} });
  return await new GuardedClient().post({ url, headers, body, may_be_private: true });
}

function judgeWebhook(subject: string, status: number): Finding {
  const next = "Try a signed one with camino alert test TARGET_ID, where the gateway runs.";
  if (status >= 500 || status === 404 || status === 410 || (status >= 300 && status < 400))
    return failed(subject, `The receiver answered ${status}. Check usage_events.to, and the receiver.`);
  if (status < 300)
    return note(subject, `The receiver took a request without a signature: it is to check them. ${next}`);
  return ok(subject, `The receiver answers, and refuses a request without a signature (${status}). ${next}`);
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
