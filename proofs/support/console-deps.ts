import { OidcClients } from "../../src/access/console/oidc.ts";
import { TryLimits } from "../../src/access/console/try-limits.ts";
import { ContentCipher } from "../../src/access/content-cipher.ts";
import type { SubKeys } from "../../src/access/sub-keys.ts";
import type { Administration } from "../../src/console-api/answer/administration.ts";
import type { ConsoleDeps } from "../../src/console-api/answer/route.ts";
import type { Configuration } from "../../src/core/catalog/catalog.ts";
import { DEFAULT_CONSOLE_SETTINGS } from "../../src/core/catalog/console-settings.ts";
import type { Store } from "../../src/core/store/ports.ts";
import { emptyCache } from "../../src/pipeline/cache/empty-cache.ts";
import { ContentReader } from "../../src/pipeline/contents/content-reader.ts";

/** The console API's dependencies, for tests of routes that do not need the running gateway. */
export function testDeps(store: Store, keys: SubKeys, configuration: Configuration, now_ms: number): ConsoleDeps {
  return {
    accounts: store.accounts,
    cached: store.responses,
    emptyCache: (account_id) => emptyCache(store.responses, account_id, () => {}),
    users: store.users,
    deliveries: store.deliveries,
    audited: store.audited,
    sign_in: {
      settings: configuration.console ?? DEFAULT_CONSOLE_SETTINGS,
      limits: new TryLimits(store.users, keys, () => 0),
      oidc: new OidcClients(() => 0),
      version: "0.0.0",
      hasGuide: async () => false,
      refused: () => {},
    },
    keys,
    alerts: {} as ConsoleDeps["alerts"],
    configuration,
    administration: {} as Administration,
    contents: new ContentReader(store.responses, new ContentCipher(keys)),
    clock: { now_ms: () => now_ms, monotonic_ms: () => 0 },
  };
}
