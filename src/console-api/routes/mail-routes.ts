import { type TestedMail, TestMail } from "../../../contract/mail.ts";
import { GatewayError } from "../../core/errors.ts";
import { MailError } from "../../mail/smtp-server.ts";
import { type ConsoleCall, route } from "../answer/route.ts";

export const mailRoutes = [
  route("POST /mail/test", "administrator", {
    audit: { none: "it changes nothing that stays" },
    body: TestMail,
    show: testMail,
  }),
];

/** Sends a test now. What the server says against it is part of the answer. */
async function testMail({ deps, body: { to } }: ConsoleCall<TestMail>): Promise<TestedMail> {
  if (deps.mail === undefined) {
    throw new GatewayError(
      "not_found",
      "This gateway sends no mail: set mail in the configuration, or CAMINO_SMTP_URL.",
    );
  }
  try {
    await deps.mail.test(to);
    return { to, sent: true, reason: null };
  } catch (thrown) {
    if (thrown instanceof MailError) return { to, sent: false, reason: thrown.message };
    throw thrown;
  }
}
