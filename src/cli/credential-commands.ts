import type { Command } from "commander";
import { type SetCredential, Vendor } from "../../contract/vendors.ts";
import { type CallOptions, callAndPrint, gatewayCommand } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import { CliFailure } from "./shared/failure.ts";
import { readSource } from "./shared/read-source.ts";
import { formatTable } from "./shared/table.ts";

/** Commands that set a vendor's credential on a running gateway. A secret is read from a file, since arguments are seen by other users. */
export function addCredentialCommands(vendor: Command, deps: CliDeps): void {
  gatewayCommand(vendor, "set-credential <vendor> <file>", "set a vendor's credential; takes effect without a restart")
    .addHelpText("after", SET_HELP)
    .action(async (id: string, source: string, options: CallOptions) => {
      const body = readCredential(source, await readSource(source, deps.fetch));
      const call = { method: "PUT", path: ["vendors", id, "credential"], body, answer: Vendor } as const;
      return callAndPrint(deps, options, call, credentialInWords);
    });
  gatewayCommand(
    vendor,
    "keys <vendor>",
    "a vendor's credentials, which of them rest, and what is used of its limits",
  ).action((id: string, options: CallOptions) => {
    const call = { method: "GET", path: ["vendors", id], answer: Vendor } as const;
    return callAndPrint(deps, options, call, credentialInWords);
  });
  gatewayCommand(vendor, "remove-credential <vendor>", "remove the credential that was set on the gateway").action(
    (id: string, options: CallOptions) => {
      const call = { method: "DELETE", path: ["vendors", id, "credential"], answer: Vendor } as const;
      return callAndPrint(deps, options, call, credentialInWords);
    },
  );
}

const SET_HELP = `
FILE has the vendor's API key, the key file of a Google service account, or JSON such as
{ "aws": { "access_key_id": "…", "secret_access_key": "…", "region": "us-east-1" } } or, for several keys,
{ "api_keys": [{ "name": "main", "key": "…", "weight": 2 }, { "name": "old" }] }: one without "key" stays as it is. - is the standard input:
  printf %s "$OPENAI_API_KEY" | camino vendor set-credential openai -`;

function readCredential(source: string, text: string): SetCredential {
  const trimmed = text.trim();
  if (trimmed === "") throw new CliFailure(`${source} is empty.`, { code: "unreadable_source" });
  if (!trimmed.startsWith("{")) return { api_key: trimmed };
  const document = parse(source, trimmed);
  return document.type === "service_account" ? { google_service_account: trimmed } : document;
}

function parse(source: string, text: string): SetCredential & { readonly type?: unknown } {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CliFailure(`${source} is not valid JSON.`, { code: "unreadable_source", cause });
  }
}

function tableOfKeys(keys: Vendor["credential"]["keys"]): string {
  const rows = keys.map(({ name, hint, weight, state, reason, rests_until }) => [
    ...[name, hint === null ? "" : `…${hint}`, String(weight)],
    ...[reason === null ? state : `${state} (${reason})`, rests_until ?? ""],
  ]);
  return formatTable(["name", "ends in", ">weight", "state", "until"], rows);
}

function credentialInWords({ id, status, limits, credential: { source, hint, keys } }: Vendor): string {
  return [
    credentialWords(id, status, { source, hint, keys }),
    ...limitLines(id, limits),
    ...keys.flatMap((key) => limitLines(`${id} ${key.name}`, key.limits)),
  ].join("\n");
}

function limitLines(name: string, limits: Vendor["limits"]): string[] {
  return limits.map(({ limit, allowed, used }) => {
    const amounts =
      limit === "spend" ? [used, allowed].map((micro) => (micro / 1e6).toFixed(2)) : [used, allowed].map(String);
    return `${name}: ${amounts.join(" of ")} ${LIMIT_NAMES[limit]}`;
  });
}

const LIMIT_NAMES = {
  spend: "spent today",
  rpm: "requests in this minute",
  tpm: "tokens in this minute",
  concurrent: "concurrent requests",
} as const;

function credentialWords(
  id: string,
  status: Vendor["status"],
  { source, hint, keys }: Pick<Vendor["credential"], "source" | "hint" | "keys">,
): string {
  const state = status === "enabled" ? "is enabled" : "is not enabled";
  if (source === null) return `${id} ${state}, and has no credential.`;
  if (keys.length > 0) return `${id} ${state}, with ${keys.length} credentials of the ${source}.\n${tableOfKeys(keys)}`;
  const ending = hint === null ? "" : ` that ends in ${hint}`;
  return `${id} ${state}, with the credential of the ${source}${ending}.`;
}
