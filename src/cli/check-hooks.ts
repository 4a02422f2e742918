import { connect } from "node:net";
import { connect as connectSecurely } from "node:tls";
import type { BeforeHookSettings, HookSettings, HooksSettings } from "../core/catalog/hook-settings.ts";
import { isObject, jsonOrNull } from "../core/json.ts";
import type { Fetch } from "./shared/deps.ts";
import { type Finding, failed, note, ok } from "./shared/finding.ts";
import { unreachableBecause } from "./shared/unreachable.ts";

const TIMEOUT_MS = 10_000;
const ACTIONS = ["allow", "refuse", "change"];

/** The request that a hook is asked about in a check. No client sent it. */
const ASKED = {
  ...{ request_id: "req_doctor", account: "acct_doctor", key: "key_doctor", project: null },
  ...{ endpoint: "chat.completions", model: "camino/doctor", tags: {} },
  body: { model: "camino/doctor", messages: [{ role: "user", content: "A test by camino doctor." }] },
};

/** Asks the hook before requests about a made-up one, and connects to the hook after answers without telling it anything. */
export function checkHooks(settings: HooksSettings | undefined, fetch: Fetch): Promise<Finding>[] {
  const { before, after } = settings ?? {};
  return [
    ...(before === undefined ? [] : [checkBefore(before, fetch)]),
    ...(after === undefined ? [] : [checkAfter(after)]),
  ];
}

async function checkBefore({ url, headers, deadline_ms }: BeforeHookSettings, fetch: Fetch): Promise<Finding> {
  const subject = "hook before";
  const shown = withoutSecrets(url);
  const began_ms = performance.now();
  try {
    const response = await fetch(url, {
      method: "POST",
      body: JSON.stringify(ASKED),
      headers: { "content-type": "application/json", accept: "application/json", "user-agent": "camino", ...headers },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    const took_ms = Math.round(performance.now() - began_ms);
    if (!response.ok) return failed(subject, `${shown} answers with status ${response.status}. Check hooks.before.`);
    const action = actionOf(text);
    if (action === null)
      return failed(subject, `${shown} answers nothing with an "action" of ${ACTIONS.join(", ")}. Check the hook.`);
    if (took_ms > deadline_ms) {
      const late = `${shown} answers ${action} after ${took_ms} ms, connection and all`;
      return note(subject, `${late}; its deadline is ${deadline_ms} ms, after which it has failed.`);
    }
    return ok(subject, `${shown} answers ${action} to a request that nobody made.`);
  } catch (thrown) {
    return unreachable(subject, shown, thrown);
  }
}

function actionOf(text: string): string | null {
  const answer = jsonOrNull(text);
  const action = isObject(answer) ? answer.action : null;
  return typeof action === "string" && ACTIONS.includes(action) ? action : null;
}

async function checkAfter({ url }: HookSettings): Promise<Finding> {
  const subject = "hook after";
  const shown = withoutSecrets(url);
  try {
    await reach(new URL(url));
    return ok(subject, `${shown} can be reached. It was told nothing.`);
  } catch (thrown) {
    return unreachable(subject, shown, thrown);
  }
}

/** Resolves once a connection is open, with a certificate that is trusted where there is one. */
async function reach({ protocol, hostname, port }: URL): Promise<void> {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const is_secure = protocol === "https:";
  const options = { host, port: port === "" ? (is_secure ? 443 : 80) : Number(port) };
  const socket = is_secure ? connectSecurely({ ...options, servername: host }) : connect(options);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once(is_secure ? "secureConnect" : "connect", () => resolve());
      socket.once("error", reject);
      socket.setTimeout(TIMEOUT_MS, () => reject(new Error("no answer in time")));
    });
  } finally {
    socket.destroy();
  }
}

function unreachable(subject: string, shown: string, thrown: unknown): Finding {
  const why = unreachableBecause(thrown);
  return failed(subject, `${shown} cannot be reached (${why}). Check hooks.${subject.slice("hook ".length)}.`);
}

/** A hook's address may have a credential in its name and query. */
export function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
