import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { StoreConflict } from "../../core/store/ports.ts";
import { migrate } from "../schema/migrate.ts";
import { runNow, type Step } from "../sql/work.ts";
import { ANYBODY, identity, signInAs } from "../suite/people.ts";
import { signInByIdentity } from "./identities.ts";
import { insertNewUser } from "./users.ts";

const database = new Database(":memory:", { strict: true });
runNow(migrate("sqlite"), execute);
afterAll(() => database.close());

function execute({ statement, params }: Step): readonly unknown[] {
  return database.prepare(statement.sqlite).all(...(params as string[]));
}

test("an identity that another sign-in adds meanwhile is the same one: the work is run again, and not refused", () => {
  const who = identity();
  database.run(
    "INSERT INTO accounts (id, email, email_key, name, status, created_ms, balance_micro, held_micro, posted_micro) VALUES ('acct_1', 'a', 'a', '', 'active', 0, 0, 0, 0)",
  );
  const person = { id: "user_1", email: who.verified_email ?? "", email_verified: true, name: "", password_hash: null };
  runNow(
    insertNewUser({ ...person, role: "member", account_id: "acct_1", account_role: "owner", project_id: null }),
    execute,
  );

  const work = signInByIdentity(signInAs(who), ANYBODY);
  const owner = (work.next().value as readonly Step[]).map(execute);
  expect(owner).toEqual([[]]);
  database.run(
    "INSERT INTO identities (issuer, subject, provider, user_id, created_ms) VALUES (?, ?, 'corp', 'user_1', 0)",
    [who.issuer, who.subject],
  );
  const rest = () => {
    let turn = work.next(owner);
    while (turn.done !== true) turn = work.next((turn.value as readonly Step[]).map(execute));
    return turn.value;
  };
  expect(rest).toThrow(StoreConflict);
  expect(runNow(signInByIdentity(signInAs(who), ANYBODY), execute)).toMatchObject({ outcome: "signed-in" });
});
