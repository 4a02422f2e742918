import type { SubKeys } from "../access/sub-keys.ts";
import { readActor } from "../console-api/actor.ts";
import { handleConsoleApi } from "../console-api/handle-console-api.ts";
import type { ConsoleDeps } from "../console-api/route.ts";
import { systemClock } from "../core/clock.ts";
import { GatewayError } from "../core/errors.ts";
import type { AccountStore } from "../core/ports.ts";
import type { ConsoleAnswer, ConsoleRequest } from "../http/context.ts";
import type { VendorCredentials } from "../pipeline/vendors/vendor-credentials.ts";

interface ConsoleParts {
  readonly accounts: AccountStore;
  readonly keys: SubKeys;
  /** The configuration in force, which changes with the credentials that are set here. */
  readonly vendors: VendorCredentials;
  readonly admin_token: string;
  /** Told after a key was changed here, so that the next request sees the change at once. */
  readonly keyChanged: (key_id: string) => void;
}

/** The console API behind the edge: who is asking, what the body says, then the routes. */
export function consoleApi({
  admin_token,
  ...parts
}: ConsoleParts): (request: ConsoleRequest) => Promise<ConsoleAnswer> {
  const deps: ConsoleDeps = {
    ...parts,
    clock: systemClock,
    get configuration() {
      return parts.vendors.current;
    },
  };
  return async ({ method, path, query, headers, text }) => {
    const actor = readActor(headers, admin_token);
    return await handleConsoleApi({ method, path, query, body: parseBody(text) }, deps, actor);
  };
}

function parseBody(text: string): unknown {
  if (text === "") return undefined;
  const parsed = tryParse(text);
  if (parsed === NOT_JSON) throw new GatewayError("invalid_json", "The body is not valid JSON.");
  return parsed;
}

const NOT_JSON = Symbol("not JSON");

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}
