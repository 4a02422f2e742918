import type { OidcProvider } from "../../core/catalog/console-settings.ts";
import type { ProviderIdentity } from "../../core/people/users.ts";
import type { OidcExchange } from "./oidc-exchange.ts";
import type { OidcFlow } from "./oidc-flow.ts";

/** The configured providers. Their library is loaded at the first sign-in, as most gateways have no provider. */
export class OidcClients {
  readonly #monotonic_ms: () => number;
  #exchange: Promise<OidcExchange> | null = null;

  constructor(monotonic_ms: () => number) {
    this.#monotonic_ms = monotonic_ms;
  }

  /** The address to which the browser is sent, and the flow to keep meanwhile. Throws OidcUnavailable. */
  async begin(
    provider: OidcProvider,
    flow: Pick<OidcFlow, "redirect_uri" | "return_to" | "user_id">,
  ): Promise<{ readonly location: string; readonly flow: OidcFlow }> {
    return await (await this.#load()).begin(provider, flow);
  }

  /** The identity of the person who came back. Throws OidcRefusal, or OidcUnavailable. */
  async finish(provider: OidcProvider, flow: OidcFlow, query: URLSearchParams): Promise<ProviderIdentity> {
    return await (await this.#load()).finish(provider, flow, query);
  }

  #load(): Promise<OidcExchange> {
    this.#exchange ??= import("./oidc-exchange.ts").then(({ OidcExchange }) => new OidcExchange(this.#monotonic_ms));
    return this.#exchange;
  }
}
