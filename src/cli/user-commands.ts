import type { Command } from "commander";
import type { AccountRole } from "../../contract/permissions.ts";
import { CreatedInvitation, SignInLink, UserList } from "../../contract/users.ts";
import { roleOption } from "./member-commands.ts";
import { type CallOptions, callAndPrint, gatewayCommand } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import { CliFailure } from "./shared/failure.ts";
import { readAmount } from "./shared/read-arguments.ts";
import { formatTable } from "./shared/table.ts";

/** The commands for the console's users and their sign-in links. */
export function addUserCommands(program: Command, deps: CliDeps): void {
  const user = program.command("user").description("users: who may sign in to the console");

  gatewayCommand(user, "list", "list all users").action((options: CallOptions) =>
    callAndPrint(deps, options, { method: "GET", path: ["users"], answer: UserList }, (list) =>
      tableOfUsers(list, deps.command),
    ),
  );

  gatewayCommand(user, "invite <email>", "create a link with which someone becomes a user, once, within a week")
    .option("--administrator", "they can see and change everything, not only their accounts")
    .option("--account <account>", "the account that they join (default: a new one)")
    .addOption(roleOption("--account-role <role>"))
    .option("--credit <amount>", "what the account gets when they accept, in the currency's unit", readAmount)
    .option("--project <project>", "the default project of their keys, by id or name")
    .action((email: string, asked: CallOptions & InviteOptions) => {
      const { administrator, account, accountRole, credit, project, ...options } = asked;
      const role = administrator ? "administrator" : "member";
      const body = { email, role, account, account_role: accountRole, credit, project };
      const call = { method: "POST", path: ["invitations"], body, answer: CreatedInvitation } as const;
      return callAndPrint(deps, options, call, ({ link, expires_at, mailed }) => {
        const sent = mailed ? `A mail to ${email} brings this link` : `Send ${email} this link`;
        return `${sent}. It works once, until ${expires_at}:\n${link}`;
      });
    });

  gatewayCommand(program, "sign-in-link [email]", "create a link that signs a user in, once, to set a new password")
    .addHelpText(
      "after",
      "\nEMAIL is a user's, not an account's; without it: for the first administrator, while no administrator can sign in.",
    )
    .option("--mail", "send it to EMAIL as well")
    .action((email: string | undefined, asked: CallOptions & { readonly mail?: true }) => {
      const { mail, ...options } = asked;
      if (mail && email === undefined)
        throw new CliFailure("--mail needs EMAIL: the first administrator has no mailbox.", {
          code: "invalid_argument",
        });
      const first = { method: "POST", path: ["first-administrator-link"], answer: SignInLink } as const;
      const call = email === undefined ? first : { ...first, path: ["users", email, "password-reset"], body: { mail } };
      return callAndPrint(deps, options, call, ({ link, expires_at, mailed }) => {
        const works = `signs ${email ?? "the first administrator"} in, once, until ${expires_at}:\n${link}`;
        if (mailed) return `A mail to ${email} brings this link. It ${works}`;
        return `${mail ? `No mail goes to ${email}, who had three within an hour. ` : ""}This link ${works}`;
      });
    });
}

interface InviteOptions {
  readonly administrator?: true;
  readonly account?: string;
  readonly accountRole?: AccountRole;
  readonly credit?: string;
  readonly project?: string;
}

const COLUMNS = ["id", "e-mail", "name", "role", "status", "accounts", "last seen"];

function tableOfUsers({ data }: UserList, command: string): string {
  if (data.length === 0) return `There are no users. Invite one with: ${command} user invite EMAIL --administrator`;
  const rows = data.map((user) => [
    user.id,
    user.email,
    user.name,
    user.role,
    user.status,
    user.accounts.map(({ account, role }) => `${account} (${role})`).join(", "),
    user.last_seen_at ?? "never",
  ]);
  return formatTable(COLUMNS, rows);
}
