import * as client from "openid-client";
import type { OidcProvider } from "../../core/catalog/console-settings.ts";
import type { ProviderIdentity } from "../../core/people/users.ts";
import { type OidcFlow, OidcRefusal, OidcUnavailable } from "./oidc-flow.ts";

const SCOPE = "openid email profile";
const TIMEOUT_S = 10;
/** How long a provider's metadata is cached. */
const REMEMBERED_MS = 60 * 60_000;

interface Known {
  readonly configuration: Promise<client.Configuration>;
  readonly since_ms: number;
}

/** The configured providers. The metadata of each, with its endpoints, is read once an hour. */
export class OidcExchange {
  readonly #known = new Map<string, Known>();
  readonly #monotonic_ms: () => number;

  constructor(monotonic_ms: () => number) {
    this.#monotonic_ms = monotonic_ms;
  }

  /** The address to which the browser is sent, and the flow to keep meanwhile. Throws OidcUnavailable. */
  async begin(
    provider: OidcProvider,
    { redirect_uri, return_to, user_id }: Pick<OidcFlow, "redirect_uri" | "return_to" | "user_id">,
  ): Promise<{ readonly location: string; readonly flow: OidcFlow }> {
    const configuration = await this.#configurationOf(provider);
    const code_verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    const nonce = client.randomNonce();
    const location = client.buildAuthorizationUrl(configuration, {
      redirect_uri,
      scope: SCOPE,
      code_challenge: await client.calculatePKCECodeChallenge(code_verifier),
      code_challenge_method: "S256",
      state,
      nonce,
    });
    const flow = { provider: provider.id, redirect_uri, code_verifier, state, nonce, return_to, user_id };
    return { location: location.href, flow };
  }

  /**
   * The identity of the person who came back from the provider. The code is exchanged with the flow's verifier; state,
   * nonce, issuer, audience, expiry and the token's signature are checked. Throws OidcRefusal, or OidcUnavailable.
   */
  async finish(provider: OidcProvider, flow: OidcFlow, query: URLSearchParams): Promise<ProviderIdentity> {
    const configuration = await this.#configurationOf(provider);
    const came_to = new URL(`${flow.redirect_uri}?${query}`);
    try {
      const tokens = await client.authorizationCodeGrant(configuration, came_to, {
        pkceCodeVerifier: flow.code_verifier,
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new OidcRefusal("The provider sent no id token.");
      return await identityOf(provider, configuration, claims, tokens.access_token);
    } catch (thrown) {
      throw asRefusal(thrown);
    }
  }

  #configurationOf(provider: OidcProvider): Promise<client.Configuration> {
    const now_ms = this.#monotonic_ms();
    const known = this.#known.get(provider.id);
    if (known !== undefined && now_ms - known.since_ms < REMEMBERED_MS) return known.configuration;
    const configuration = discover(provider);
    this.#known.set(provider.id, { configuration, since_ms: now_ms });
    // A provider that could not be reached is tried again at the next sign-in.
    configuration.catch(() => this.#known.delete(provider.id));
    return configuration;
  }
}

async function discover({ issuer, client_id, client_secret }: OidcProvider): Promise<client.Configuration> {
  const insecure = issuer.startsWith("http:") ? [client.allowInsecureRequests] : [];
  try {
    return await client.discovery(new URL(issuer), client_id, undefined, secretAuth(client_secret), {
      timeout: TIMEOUT_S,
      execute: [...insecure, client.enableNonRepudiationChecks],
    });
  } catch (cause) {
    throw new OidcUnavailable(`The provider ${issuer} cannot be asked.`, { cause });
  }
}

/**
 * The secret goes in the body where the provider supports that, else in the header, which all providers should support.
 */
function secretAuth(secret: string): client.ClientAuth {
  const inBody = client.ClientSecretPost(secret);
  const inHeader = client.ClientSecretBasic(secret);
  return (server, metadata, body, headers) => {
    const takes_body = server.token_endpoint_auth_methods_supported?.includes("client_secret_post") ?? false;
    (takes_body ? inBody : inHeader)(server, metadata, body, headers);
  };
}

type Claims = Readonly<Record<string, unknown>>;

async function identityOf(
  provider: OidcProvider,
  configuration: client.Configuration,
  claims: client.IDToken,
  access_token: string,
): Promise<ProviderIdentity> {
  // Providers with small id tokens give the e-mail at the user-info endpoint, whose subject must match.
  const has_more = claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
  const more: Claims = has_more ? await client.fetchUserInfo(configuration, access_token, claims.sub) : {};
  const all: Claims = { ...more, ...claims };
  const is_verified = all.email_verified === true || all.email_verified === "true";
  return {
    provider: provider.id,
    issuer: claims.iss,
    subject: claims.sub,
    verified_email: is_verified && typeof all.email === "string" ? all.email : null,
    name: typeof all.name === "string" ? all.name.slice(0, 200) : "",
  };
}

/** The library's error as OidcRefusal where the provider answered, as OidcUnavailable where it could not. */
function asRefusal(thrown: unknown): Error {
  if (thrown instanceof OidcRefusal || thrown instanceof OidcUnavailable) return thrown;
  const is_answer =
    thrown instanceof client.AuthorizationResponseError ||
    thrown instanceof client.ResponseBodyError ||
    thrown instanceof client.ClientError;
  const timed_out = thrown instanceof Error && (thrown.name === "TimeoutError" || thrown instanceof TypeError);
  if (timed_out && !is_answer) return new OidcUnavailable("The provider cannot be asked.", { cause: thrown });
  return new OidcRefusal("The provider's answer cannot be accepted.", { cause: thrown });
}
