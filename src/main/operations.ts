import { TokenGuard } from "../access/token-guard.ts";
import type { ConsoleSettings } from "../core/catalog/console-settings.ts";
import { DEFAULT_OPERATIONS, type OperationsSettings } from "../core/catalog/operations-settings.ts";
import { systemClock } from "../core/clock.ts";
import type { Environment } from "../core/environment.ts";
import type { RefusedWay } from "../core/people/users.ts";
import { weaknessOf } from "../core/strong-token.ts";
import { sharedAs, type WorkerGroup } from "../core/worker-group.ts";
import type { EdgeDeps } from "../http/context.ts";
import type { OperationsAccess } from "../http/operations-access.ts";
import { type OperationsServer, startOperationsServer } from "../http/operations-server.ts";
import type { RunningServer } from "../http/server.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { ServerAddress } from "../wire/server/wire-server.ts";
import { readPort, SettingsError } from "./settings/settings.ts";

/** The address of the operations endpoints, and who may read them: the environment comes before the file. Throws a SettingsError. */
export function operationsSettings(env: Environment, file: OperationsSettings | undefined): OperationsSettings {
  const said = file ?? DEFAULT_OPERATIONS;
  const { CAMINO_OPERATIONS_HOST: host, CAMINO_OPERATIONS_PORT: port, CAMINO_OPERATIONS_TOKEN: token } = env;
  const settings = {
    host: host ?? said.host,
    port: port === undefined ? said.port : readPort(port, "CAMINO_OPERATIONS_PORT"),
    token: token ?? said.token,
  };
  const weakness = token === undefined ? null : weaknessOf(token);
  if (weakness !== null) throw new SettingsError(`CAMINO_OPERATIONS_TOKEN ${weakness}`);
  if (settings.host !== null && settings.port === null) {
    throw new SettingsError(
      "The operations endpoints have a host and no port of their own. Set CAMINO_OPERATIONS_PORT, or operations.port.",
    );
  }
  return settings;
}

/** For whom the endpoints are answered. */
export function operationsAccess(
  { port, token }: OperationsSettings,
  { behind_proxy }: Pick<ConsoleSettings, "behind_proxy">,
  log: Log,
  { workers, metrics }: { readonly workers: WorkerGroup; readonly metrics: Pick<Metrics, "refused_sign_ins"> },
): OperationsAccess {
  const onGuessing = (address: string | null): void =>
    log.warn({ address }, "wrong tokens at the operations endpoints: that address has to wait");
  const parts = {
    onGuessing,
    onRefused: (): void => metrics.refused_sign_ins.add(1, "operations_token" satisfies RefusedWay),
    wrong: sharedAs(workers, "wrong operations token"),
    right: sharedAs(workers, "right operations token"),
  };
  const guard = token === null ? null : new TokenGuard(token, systemClock.monotonic_ms, parts);
  return { apart: port !== null, token: guard, behind_proxy };
}

/** The endpoints' own server; null where they are answered at the gateway's port. Throws when the address is not available. */
export function serveApart(
  edge: EdgeDeps,
  { port, ...place }: Omit<ServerAddress, "port"> & { readonly port: number | null },
  gateway: Pick<RunningServer, "state">,
): OperationsServer | null {
  return port === null ? null : startOperationsServer(edge, { ...place, port }, () => gateway.state().draining);
}
