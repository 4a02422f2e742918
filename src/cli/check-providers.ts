import type { ConsoleSettings, OidcProvider } from "../core/catalog/console-settings.ts";
import { isObject, jsonOrNull } from "../core/json.ts";
import type { Fetch } from "./shared/deps.ts";
import { type Finding, failed, ok } from "./shared/finding.ts";

const TIMEOUT_MS = 10_000;
const METADATA_PATH = "/.well-known/openid-configuration";

/**
 * Asks each company's provider for its metadata, as the first sign-in would, and says which address has to be registered there. Client id
 * and secret are not tried: a provider takes them only with a sign-in's code.
 */
export function checkProviders(settings: ConsoleSettings | undefined, fetch: Fetch): Promise<Finding>[] {
  if (settings === undefined) return [];
  const { oidc, public_url } = settings;
  const host = public_url ?? "https://HOST";
  return oidc.map((provider) =>
    checkProvider(provider, `${host}/console/api/session/oidc/${provider.id}/callback`, fetch),
  );
}

async function checkProvider({ id, issuer }: OidcProvider, redirect_url: string, fetch: Fetch): Promise<Finding> {
  const subject = `sign-in ${id}`;
  const url = metadataUrl(issuer);
  try {
    const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    const named = response.ok ? issuerOf(await response.text()) : null;
    if (named === null) {
      const what = `${url} answers with status ${response.status}, and not with a provider's metadata`;
      return failed(subject, `${what}. Check console.oidc.${id}.issuer.`);
    }
    if (!isSameAddress(named, issuer)) {
      return failed(subject, `The provider calls itself ${named}. Set console.oidc.${id}.issuer to that.`);
    }
    return ok(subject, `${issuer} answers. The redirect address to register there: ${redirect_url}`);
  } catch {
    return failed(subject, `${issuer} cannot be reached. Check console.oidc.${id}.issuer and the network.`);
  }
}

/** Where OpenID Connect Discovery 1.0, 4.1 has the metadata; an address of the metadata itself is taken as it is. */
function metadataUrl(issuer: string): string {
  return issuer.includes("/.well-known/") ? issuer : `${issuer.replace(/\/$/, "")}${METADATA_PATH}`;
}

/** The issuer that metadata names; null where the text is no metadata. */
function issuerOf(text: string): string | null {
  const metadata = jsonOrNull(text);
  return isObject(metadata) && typeof metadata.issuer === "string" ? metadata.issuer : null;
}

function isSameAddress(named: string, issuer: string): boolean {
  if (issuer.includes("/.well-known/")) return true;
  return URL.canParse(named) && new URL(named).href === new URL(issuer).href;
}
