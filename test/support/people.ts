import type { Session } from "../../contract/session.ts";
import type { CreatedInvitation } from "../../contract/users.ts";
import { ConsoleBrowser } from "./console-browser.ts";
import type { Gateway } from "./gateway.ts";

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
