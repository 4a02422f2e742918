import type { ConsoleSettings, OidcProvider } from "../../core/catalog/console-settings.ts";
import { report, type YamlPlace } from "./place.ts";
import { readEntries, readFields } from "./read-fields.ts";
import { readBoolean, readOneOf, readParsed, readText, readTexts } from "./read-scalar.ts";

const PROVIDER_ID = /^[a-z0-9][a-z0-9-]{0,39}$/;
const DOMAIN = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i;

/** Reads the console's settings: the address at which browsers reach it, and companies' sign-ins. */
export function readConsole(place: YamlPlace | null): ConsoleSettings | null {
  const fields = readFields(place, ["public_url", "behind_proxy", "oidc", "contact"]);
  if (fields === null) return null;
  return {
    public_url: readOrigin(fields.get("public_url")),
    behind_proxy: readBoolean(fields.get("behind_proxy")) ?? false,
    oidc: readProviders(fields.get("oidc")),
    ...readContact(fields.get("contact")),
  };
}

function readOrigin(place: YamlPlace | null): string | null {
  const allowed = "where browsers find the gateway, such as https://models.example.com (without a path)";
  return readParsed(place, allowed, (text) => {
    const url = URL.parse(text);
    const is_origin =
      url !== null && /^https?:$/.test(url.protocol) && url.pathname === "/" && url.search + url.hash === "";
    return is_origin ? url.origin : null;
  });
}

const LONGEST_CONTACT = 200;

function readContact(place: YamlPlace | null): Pick<ConsoleSettings, "contact"> {
  const allowed = `whom people ask for credit: an e-mail, an address or a few words, of 1 to ${LONGEST_CONTACT} characters in one line`;
  const contact = readParsed(place, allowed, (text) =>
    text.length <= LONGEST_CONTACT && !/\p{Cc}/u.test(text) ? text.trim() : null,
  );
  return contact === null ? {} : { contact };
}

function readProviders(place: YamlPlace | null): OidcProvider[] {
  const entries = readEntries(place, "a map of OpenID Connect providers") ?? [];
  return entries.flatMap(([id, inside]) => {
    if (!PROVIDER_ID.test(id)) report(inside, "a name of a-z 0-9 and -", JSON.stringify(id));
    const provider = readProvider(inside, id);
    return provider === null ? [] : [provider];
  });
}

function readProvider(place: YamlPlace, id: string): OidcProvider | null {
  const keys = ["name", "issuer", "client_id", "client_secret", "allowed_domains", "default_role"] as const;
  const fields = readFields(place, keys);
  if (fields === null) return null;
  const issuer = readIssuer(fields.require("issuer", "the provider's issuer, an https:// address"));
  const client_id = readText(fields.require("client_id", "the client id that the provider gave out"));
  const client_secret = readText(fields.require("client_secret", "the client secret, such as ${GOOGLE_CLIENT_SECRET}"));
  const domains = fields.get("allowed_domains");
  const allowed_domains = readTexts(domains, "a list of e-mail domains, such as [example.com]") ?? [];
  if (domains !== null && !allowed_domains.every((domain) => DOMAIN.test(domain))) {
    report(domains, "e-mail domains such as example.com, without @", JSON.stringify(allowed_domains.join(", ")));
  }
  const default_role = readOneOf(fields.get("default_role"), ["member", "administrator"]) ?? "member";
  const name = readText(fields.get("name")) ?? id;
  if (issuer === null || client_id === null || client_secret === null) return null;
  return { id, name, issuer, client_id, client_secret, allowed_domains, default_role };
}

/**
 * Plain http is allowed only on this machine: anybody between the gateway and a remote issuer could sign in any user.
 */
function readIssuer(place: YamlPlace | null): string | null {
  const allowed = "an https:// address (http:// for this machine only)";
  return readParsed(place, allowed, (text) => {
    const url = URL.parse(text);
    const is_local = url !== null && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname);
    return url?.protocol === "https:" || (url?.protocol === "http:" && is_local) ? text : null;
  });
}
