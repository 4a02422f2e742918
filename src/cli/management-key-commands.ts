import { type Command, InvalidArgumentError } from "commander";
import { AdministrationError, administrationClient } from "../../contract/administration-client.ts";
import { GRANTABLE_SCOPES, type ManagementKey } from "../../contract/management-keys.ts";
import { SCOPES, type Scope } from "../../contract/permissions.ts";
import { findAdminToken } from "./shared/admin-token.ts";
import { type CallOptions, gatewayCommand, print } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import { CliFailure } from "./shared/failure.ts";
import { type GatewayOptions, gatewayUrl, unreachable } from "./shared/gateway-client.ts";
import { gatewayFetch } from "./shared/gateway-fetch.ts";
import { readTime } from "./shared/read-arguments.ts";
import { formatTable } from "./shared/table.ts";

interface ManagementKeyCreateOptions extends CallOptions {
  readonly name: string;
  readonly scope: Scope[];
  readonly account?: string;
  readonly expires?: string;
}

/** The commands for the keys of programs that administer. They use the client that the contract has for such programs. */
export function addManagementKeyCommands(program: Command, deps: CliDeps): void {
  const key = program
    .command("management-key")
    .description("management keys: for programs that administer, in place of the admin token");

  gatewayCommand(key, "create", "create a management key; its secret is shown once")
    .requiredOption("--name <text>", "a display name, shown in the audit log")
    .requiredOption("--scope <scope,...>", "what it can do", readScopes)
    .option("--account <account>", "the only account that it can reach (default: all)")
    .option("--expires <date>", "a day YYYY-MM-DD (its beginning, UTC) or a time", readTime)
    .addHelpText(
      "after",
      `\nScopes:\n${GRANTABLE_SCOPES.map((scope) => `  ${scope.padEnd(22)} ${SCOPES[scope]}`).join("\n")}`,
    )
    .action(async ({ name, scope, account, expires, ...options }: ManagementKeyCreateOptions) => {
      const body = {
        name,
        scopes: scope,
        ...(account === undefined ? {} : { account }),
        ...(expires === undefined ? {} : { expires_at: expires }),
      };
      const client = await clientOf(deps, options);
      const made = await client.call("POST /management-keys", { body }).catch(explain);
      const of = made.account === null ? "all accounts" : `the account ${made.account}`;
      print(deps, options, made, () => {
        return `Created management key ${made.id} for ${of}. It is shown this once:\n\n${made.key}\n`;
      });
    });

  gatewayCommand(key, "list", "list management keys, revoked ones too")
    .option("--account <account>", "only those for this account")
    .action(async ({ account, ...options }: CallOptions & { account?: string }) => {
      const client = await clientOf(deps, options);
      const query = account === undefined ? {} : { account };
      const data = await Array.fromAsync(client.rows("GET /management-keys", { query })).catch(explain);
      print(deps, options, { object: "list", data }, () => tableOf(data, deps.command));
    });

  gatewayCommand(key, "revoke <management_key_id>", "revoke a management key permanently").action(
    async (id: string, options: CallOptions) => {
      const client = await clientOf(deps, options);
      const path = { management_key: id };
      const ended = await client.call("POST /management-keys/{management_key}/revoke", { path }).catch(explain);
      print(deps, options, ended, () => `Revoked management key ${ended.id}.`);
    },
  );
}

async function clientOf(deps: CliDeps, options: GatewayOptions) {
  const url = gatewayUrl(deps, options);
  const { token } = await findAdminToken({ token: options.token, data: options.data, env: deps.env, url });
  const fetch = (address: string, init: RequestInit) =>
    gatewayFetch(deps)(address, init).catch((cause: unknown) => {
      throw unreachable(url, cause);
    });
  return administrationClient({ url: url.href, key: token, fetch });
}

function explain(thrown: unknown): never {
  if (!(thrown instanceof AdministrationError)) throw thrown;
  throw new CliFailure(thrown.message, { code: thrown.code });
}

function readScopes(text: string): Scope[] {
  const scopes = text.split(",").map((scope) => scope.trim());
  const unknown = scopes.find((scope) => !GRANTABLE_SCOPES.includes(scope as Scope));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`'${unknown}' is no scope; there are ${GRANTABLE_SCOPES.join(", ")}.`);
  return scopes as Scope[];
}

function tableOf(keys: readonly ManagementKey[], command: string): string {
  if (keys.length === 0) return `There are no management keys. Make one with: ${command} management-key create`;
  const columns = ["id", "name", "ends in", "status", "account", "scopes", "last used"];
  const rows = keys.map((key) => [
    key.id,
    key.name,
    key.hint,
    key.status,
    key.account ?? "all",
    key.scopes.join(" "),
    key.last_used_at ?? "never",
  ]);
  return formatTable(columns, rows);
}
