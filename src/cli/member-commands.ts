import { type Command, Option } from "commander";
import { Deleted } from "../../contract/common.ts";
import { Member, MemberList } from "../../contract/members.ts";
import { ACCOUNT_ROLES, type AccountRole, ROLE_WORDS } from "../../contract/permissions.ts";
import { type CallOptions, callAndPrint, gatewayCommand } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import { CliFailure } from "./shared/failure.ts";
import { callGateway, type GatewayOptions } from "./shared/gateway-client.ts";
import { formatTable } from "./shared/table.ts";

type RoleOptions = CallOptions & { readonly role: AccountRole; readonly project?: string };

/** The commands for the members of an account and their roles. */
export function addMemberCommands(program: Command, deps: CliDeps): void {
  const member = program
    .command("member")
    .description("members: which users belong to an account, and what each can do in it");

  gatewayCommand(member, "list <account>", "list the members of an account")
    .option("--search <words>", "only those whose e-mail, name or id has these words: the 500 who joined last")
    .action((account: string, { search, ...options }: CallOptions & { readonly search?: string }) =>
      callAndPrint(
        deps,
        options,
        { method: "GET", path: membersOf(account), query: searched(search), answer: MemberList },
        (list) => tableOf(list, search),
      ),
    );

  gatewayCommand(member, "add <account> <email>", "add an existing user to an account")
    .addOption(roleOption().default("member"))
    .option("--project <project>", "the default project of their keys, by id or name")
    .addHelpText("after", `\n${roleHelp()}\nSomebody who is no user yet: camino user invite EMAIL --account ACCOUNT`)
    .action((account: string, email: string, { role, project, ...options }: RoleOptions) => {
      const body = { email, role, project };
      const call = { method: "POST", path: ["accounts", account, "members"], body, answer: Member } as const;
      return callAndPrint(deps, options, call, (made) => `${made.email} is ${made.role} of ${made.account}.`);
    });

  gatewayCommand(member, "role <account> <email>", "change what a member can do")
    .addOption(roleOption().makeOptionMandatory())
    .addHelpText("after", `\n${roleHelp()}`)
    .action(async (account: string, email: string, { role, ...options }: RoleOptions) => {
      const path = await pathOf(deps, options, account, email);
      const call = { method: "PATCH", path, body: { role }, answer: Member } as const;
      return callAndPrint(deps, options, call, (made) => `${made.email} is ${made.role} of ${made.account}.`);
    });

  gatewayCommand(
    member,
    "project <account> <email> [project]",
    "set the default project, by id or name, of the keys that a member creates; without PROJECT: none",
  ).action(async (account: string, email: string, project: string | undefined, options: CallOptions) => {
    const path = await pathOf(deps, options, account, email);
    const call = { method: "PATCH", path, body: { project: project ?? null }, answer: Member } as const;
    return callAndPrint(deps, options, call, (made) =>
      made.project === null
        ? `New keys of ${made.email} go into no project.`
        : `New keys of ${made.email} go into ${made.project.name}.`,
    );
  });

  gatewayCommand(
    member,
    "remove <account> <email>",
    "remove a member; the keys that they created stay with the account",
  ).action(async (account: string, email: string, options: CallOptions) => {
    const path = await pathOf(deps, options, account, email);
    const call = { method: "DELETE", path, answer: Deleted } as const;
    return callAndPrint(deps, options, call, () => `${email} no longer belongs to ${account}.`);
  });
}

export function roleOption(flag = "--role <role>"): Option {
  return new Option(flag, "the role in the account").choices([...ACCOUNT_ROLES]);
}

function roleHelp(): string {
  return ACCOUNT_ROLES.map((role) => `  ${role.padEnd(8)} ${ROLE_WORDS[role]}`).join("\n");
}

/** The path of a member, who is named by e-mail or id. */
async function pathOf(
  deps: CliDeps,
  options: GatewayOptions,
  account: string,
  wanted: string,
): Promise<readonly string[]> {
  const path = membersOf(account);
  const call = { method: "GET", path, query: searched(wanted), answer: MemberList } as const;
  const { data } = await callGateway(deps, options, call);
  const member = data.find(({ user, email }) => user === wanted || email.toLowerCase() === wanted.toLowerCase());
  if (member === undefined)
    throw new CliFailure(`${wanted} is no member of ${account}: camino member list ${account} shows who is.`, {
      code: "not_found",
    });
  return [...path, member.user];
}

function membersOf(account: string): readonly string[] {
  return ["accounts", account, "members"];
}

/** The server takes a search of at most 200 characters. */
function searched(search: string | undefined): Readonly<Record<string, string | undefined>> {
  return search === undefined ? {} : { q: search.slice(0, 200), limit: "500" };
}

function tableOf({ data }: MemberList, search: string | undefined): string {
  if (data.length === 0 && search !== undefined) return `No member has "${search}" in e-mail, name or id.`;
  if (data.length === 0) return "No members yet. The account's keys work without members.";
  const columns = ["e-mail", "name", "role", "default project", "status", "joined", "last seen"];
  const rows = data.map(({ email, name, role, project, status, joined_at, last_seen_at }) => [
    email,
    name,
    role,
    project?.name ?? "",
    status,
    joined_at,
    last_seen_at ?? "never",
  ]);
  return formatTable(columns, rows);
}
