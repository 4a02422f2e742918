import type { Session } from "../../contract/session.ts";
import type { CreatedInvitation } from "../../contract/users.ts";
import { ConsoleBrowser } from "./console-browser.ts";
import { type Gateway, startGateway } from "./gateway.ts";

export const PASSWORD = "correct horse battery";
let invited = 0;

export interface Person {
  readonly browser: ConsoleBrowser;
  readonly email: string;
  readonly session: Session;
}

/** Invites a person, who accepts with a password and is signed in. */
export async function invite(
  gateway: Pick<Gateway, "url" | "admin">,
  options: { role?: string; account?: string; account_role?: string; email?: string } = {},
): Promise<Person> {
  invited += 1;
  const email = options.email ?? `person-${invited}-${process.pid}@example.com`;
  const asked = { ...options, email };
  const { link } = await gateway.admin<CreatedInvitation>("POST", "/invitations", asked);
  const browser = new ConsoleBrowser(gateway.url);
  const session = await browser.signInByLink(link, { name: `Person ${invited}`, password: PASSWORD });
  return { browser, email, session };
}

/** A gateway with an account and its people, each by their role. */
export type Team<Role extends string = never> = {
  readonly gateway: Gateway;
  readonly account: string;
  readonly owner: Person;
} & Readonly<Record<Role, Person>>;

/**
 * Starts a gateway on which somebody owns an account, with `credit` in its wallet, and others belong to it in these roles: their addresses
 * are of the owner's domain.
 */
export async function startTeam<Role extends string = never>({
  owner: email,
  credit,
  others = [],
}: {
  owner: string;
  credit?: string;
  others?: readonly Role[];
}): Promise<Team<Role>> {
  const gateway = await startGateway();
  const owner = await invite(gateway, { email });
  const account = owner.session.user.account_id;
  if (credit !== undefined) await gateway.admin("POST", `/accounts/${account}/credits`, { amount: credit });
  const people: [string, Person][] = [];
  for (const role of others) {
    const other = { email: `${role}@${email.split("@")[1]}`, account, account_role: role };
    people.push([role, await invite(gateway, other)]);
  }
  return { gateway, account, owner, ...(Object.fromEntries(people) as Record<Role, Person>) };
}
