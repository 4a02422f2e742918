import { OidcClients } from "../access/console/oidc.ts";
import { TryLimits } from "../access/console/try-limits.ts";
import { ContentCipher } from "../access/content-cipher.ts";
import type { SubKeys } from "../access/sub-keys.ts";
import { TokenGuard } from "../access/token-guard.ts";
import type { Administration } from "../console-api/answer/administration.ts";
import type { AlertDesk, MailDesk } from "../console-api/answer/desks.ts";
import type { ConsoleDeps } from "../console-api/answer/route.ts";
import type { ConsoleAnswer, RawConsoleRequest } from "../core/answer/console-exchange.ts";
import type { ConsoleSettings } from "../core/catalog/console-settings.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import type { RefusedWay } from "../core/people/users.ts";
import type { Store } from "../core/store/ports.ts";
import { sharedAs, type WorkerGroup } from "../core/worker-group.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { AnswerCache } from "../pipeline/cache/answer-cache.ts";
import { emptyCache } from "../pipeline/cache/empty-cache.ts";
import { ContentReader } from "../pipeline/contents/content-reader.ts";
import { hasGuide } from "./built-pages.ts";

interface ConsoleParts {
  readonly store: Pick<Store, "accounts" | "audited" | "cellOf" | "deliveries" | "responses" | "users">;
  readonly keys: SubKeys;
  readonly settings: ConsoleSettings;
  readonly version: string;
  readonly administration: Administration;
  readonly admin_token: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly refused_sign_ins: Metrics["refused_sign_ins"];
  /** Called after a key was changed on this node, so that the next request sees the change at once. */
  readonly keyChanged: (key_id: string) => void;
  readonly workers: WorkerGroup;
  readonly alerts: AlertDesk;
  /** Null where no answers are given again. */
  readonly cache: AnswerCache | null;
  /** Absent where the gateway sends no mail. */
  readonly mail?: MailDesk;
}

/** The console API behind the edge. */
export function consoleApi(parts: ConsoleParts): (request: RawConsoleRequest) => Promise<ConsoleAnswer> {
  const { store, keys, settings, version, administration, keyChanged, log } = parts;
  const { workers } = parts;
  const refused = (way: RefusedWay): void => parts.refused_sign_ins.add(1, way);
  const onGuessing = (address: string | null): void =>
    log.warn({ address }, "wrong admin tokens: that address has to wait");
  const admin_token = new TokenGuard(parts.admin_token, systemClock.monotonic_ms, {
    onGuessing,
    onRefused: () => refused("admin_token"),
    wrong: sharedAs(workers, "wrong admin token"),
    right: sharedAs(workers, "right admin token"),
  });
  const forget = forgetAnswers(parts.cache, workers);
  const deps: ConsoleDeps = {
    accounts: store.accounts,
    cached: store.responses,
    emptyCache: (account_id) => emptyCache(store.responses, account_id, forget),
    users: store.users,
    deliveries: store.deliveries,
    audited: store.audited,
    sign_in: {
      settings,
      version,
      hasGuide,
      refused,
      limits: new TryLimits(store.users, keys, systemClock.monotonic_ms, sharedAs(workers, "refused sign-in")),
      oidc: new OidcClients(systemClock.monotonic_ms),
    },
    keys,
    ...(store.cellOf !== undefined && { cellOf: store.cellOf }),
    alerts: parts.alerts,
    administration,
    keyChanged,
    contents: new ContentReader(store.responses, new ContentCipher(keys)),
    ...(parts.mail !== undefined && { mail: parts.mail }),
    clock: parts.clock,
    // A getter, as a credential that is set in the console replaces the configuration.
    get configuration() {
      return administration.vendors.current;
    },
  };
  return async (request) => {
    // Loaded with the first call: a gateway that is never administered need not hold its sixty files and their schemas.
    const { answerConsoleApi } = await import("../console-api/handle-console-api.ts");
    return await answerConsoleApi(request, deps, admin_token);
  };
}

/** Has stored answers forgotten here, and in the gateway's other processes. */
function forgetAnswers(cache: AnswerCache | null, workers: WorkerGroup): AnswerCache["forget"] {
  const told = "emptied cache";
  workers.hear(told, (account_id) => cache?.forget(account_id === "" ? null : account_id, null));
  return (account_id, until_ms) => {
    cache?.forget(account_id, until_ms);
    workers.tell(told, account_id ?? "");
  };
}
