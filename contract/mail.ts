import Type, { type Static } from "typebox";
import { closed, orNull } from "./common.ts";
import { Email } from "./session.ts";

/** Body of `POST /mail/test`: where a test goes. */
export const TestMail = closed({ to: Email });
export type TestMail = Static<typeof TestMail>;

/** The mail server has taken the test; `reason` says why not. */
export const TestedMail = Type.Object({
  to: Type.String(),
  sent: Type.Boolean(),
  reason: orNull(Type.String()),
});
export type TestedMail = Static<typeof TestedMail>;
