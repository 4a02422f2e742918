import type { OidcClients } from "../../access/console/oidc.ts";
import type { TryLimits } from "../../access/console/try-limits.ts";
import type { ConsoleSettings } from "../../core/catalog/console-settings.ts";
import type { RefusedWay } from "../../core/people/users.ts";

/** The dependencies of signing in, beside the store of users. */
export interface SignInDeps {
  readonly settings: ConsoleSettings;
  readonly limits: TryLimits;
  readonly oidc: OidcClients;
  readonly version: string;
  /** Whether the documents' pages are built. */
  readonly hasGuide: () => Promise<boolean>;
  /** Counts a refusal. */
  readonly refused: (way: RefusedWay) => void;
}
