import type { HookSettings } from "../../core/catalog/hook-settings.ts";
import type { Upstream } from "../../upstream/send.ts";
import { BytePieces } from "../../wire/client/outgoing-request.ts";

/** What is sent: a text, or pieces that nobody joins. */
export type HookBody = string | readonly Uint8Array[];

/**
 * Posts JSON to a hook, without redirects, and resolves with the text of its answer. Rejects where it is not answered with a 2xx and a body of at most
 * `most_bytes` before its deadline.
 */
export async function postHook(
  upstream: Upstream,
  { url, headers, deadline_ms }: HookSettings,
  body: HookBody,
  most_bytes: number,
): Promise<string> {
  const timeouts = { connect_ms: deadline_ms, first_byte_ms: deadline_ms, idle_ms: deadline_ms, total_ms: deadline_ms };
  const sent = typeof body === "string" ? body : new BytePieces(body);
  const call = upstream.start({ url, headers: headersFor(headers), body: sent, timeouts });
  let is_late = false;
  // The deadlines of calls to vendors are a fifth of a second coarse.
  const timer = setTimeout(() => {
    is_late = true;
    call.abort();
  }, deadline_ms);
  try {
    const reply = await call.reply;
    if (reply.status < 200 || reply.status > 299) {
      reply.close();
      throw new Error(`it answered ${reply.status}`);
    }
    const answer = await reply.readWhole();
    if (answer.length > most_bytes) throw new Error(`its answer has more than ${most_bytes} bytes`);
    return typeof answer === "string" ? answer : new TextDecoder("utf-8", { fatal: true }).decode(answer);
  } catch (thrown) {
    if (is_late) throw new Error(`it did not answer within ${deadline_ms} ms`, { cause: thrown });
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}

/** The transport keeps the written form of each headers object. */
const written = new WeakMap<HookSettings["headers"], Record<string, string>>();

function headersFor(headers: HookSettings["headers"]): Record<string, string> {
  const known = written.get(headers);
  if (known !== undefined) return known;
  const all = {
    ...{ "content-type": "application/json", accept: "application/json", "accept-encoding": "identity" },
    ...{ "user-agent": "camino", ...headers },
  };
  written.set(headers, all);
  return all;
}
