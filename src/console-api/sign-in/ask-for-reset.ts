import { AskForReset } from "../../../contract/session.ts";
import { GatewayError } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { ASKED_RESET_LIFE_MS } from "../../people/links/link-lives.ts";
import { type ConsoleAnswer, type ConsoleCall, route } from "../answer/route.ts";

/** Somebody forgot their password and asks for a link by mail. */
export const askForResetRoute = route("POST /session/password-reset", "public", {
  audit: { none: "the link is written down when it is made, for a user who is there" },
  body: AskForReset,
  handle: askForReset,
});

/**
 * Puts the wish down, and looks for no user: whoever asks gets the same answer by the same work (docs/rulings.md 224). Where an e-mail has had its
 * share, nothing more is sent and nothing else is said.
 */
async function askForReset({ deps, body, visit }: ConsoleCall<AskForReset, unknown>): Promise<ConsoleAnswer> {
  const { mail } = deps;
  if (mail === undefined) {
    throw new GatewayError("not_found", "This gateway sends no mail. Ask an administrator for a password-reset link.");
  }
  const wait_ms = await mail.limits.waitOfAsking(visit.address);
  if (wait_ms > 0) {
    const seconds = Math.ceil(wait_ms / 1000);
    throw new GatewayError(
      "rate_limit_exceeded",
      "Too many password resets were asked for from here. Try again later.",
      {
        retry_after_ms: wait_ms,
        headers: { "retry-after": String(seconds) },
      },
    );
  }
  const email = body.email.trim();
  const wish = { id: newId("link"), kind: "password-reset", recipient: email, asked_from: visit.address } as const;
  if (await mail.limits.mayMailReset(email)) await deps.deliveries.addLetter({ ...wish, ttl_ms: ASKED_RESET_LIFE_MS });
  mail.wake();
  return { status: 202, body: { asked: true } };
}
