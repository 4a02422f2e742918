import type { Visitor } from "./browser.ts";
import type { Gateway } from "./gateway.ts";

export interface Person {
  readonly email: string;
  readonly password: string;
}

export interface PersonOptions {
  readonly role?: "administrator" | "member";
  /** The account that they belong to, by id or e-mail; without it, one of their own. */
  readonly account?: string;
  readonly name?: string;
}

let people = 0;

/**
 * Signs a visitor in as somebody new, by an invitation: as an administrator, if nothing else is said. What pages do with
 * the sign-in itself is tested in test/console/sign-in.test.ts; this is the quick way for all other tests.
 */
export async function signIn(visitor: Visitor, gateway: Gateway, options: PersonOptions = {}): Promise<Person> {
  const { role = "administrator", account, name = "Ana Lima" } = options;
  people += 1;
  const person = { email: `ana-${people}@example.com`, password: "a-long-enough-password" };
  const { link } = await gateway.admin<{ link: string }>("POST", "/invitations", {
    email: person.email,
    role,
    ...(account === undefined ? {} : { account }),
  });
  const token = link.split("#token=")[1];
  const response = await visitor.context.request.post(`${gateway.url}/console/api/session/link`, {
    data: { token, name, password: person.password },
  });
  if (!response.ok()) throw new Error(`the invitation was refused: ${response.status()} ${await response.text()}`);
  return person;
}
