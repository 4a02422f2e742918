import type { Visitor } from "./browser.ts";
import type { Gateway } from "./gateway.ts";

export interface Person {
  readonly email: string;
  readonly password: string;
}

export interface PersonOptions {
  readonly role?: "administrator" | "member";
  /** The user's account, by id or e-mail. Default: a new account. */
  readonly account?: string;
  /** The user's role in that account. */
  readonly account_role?: string;
  readonly name?: string;
}

let people = 0;

/**
 * Signs a visitor in as a new user, by an invitation; by default as an administrator. This is the quick way for tests
 * of other pages than the sign-in page.
 */
export async function signIn(visitor: Visitor, gateway: Gateway, options: PersonOptions = {}): Promise<Person> {
  const { role = "administrator", account, account_role, name = "Ana Lima" } = options;
  people += 1;
  const person = { email: `ana-${people}@example.com`, password: "a-long-enough-password" };
  const { link } = await gateway.admin<{ link: string }>("POST", "/invitations", {
    email: person.email,
    role,
    ...(account === undefined ? {} : { account }),
    ...(account_role === undefined ? {} : { account_role }),
  });
  const token = link.split("#token=")[1];
  const response = await visitor.context.request.post(`${gateway.url}/console/api/session/link`, {
    data: { token, name, password: person.password },
  });
  if (!response.ok()) throw new Error(`the invitation was refused: ${response.status()} ${await response.text()}`);
  return person;
}
