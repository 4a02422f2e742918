import { type PlaygroundKey, PlaygroundKeyBody } from "../../../contract/playground.ts";
import { newKeyId } from "../../core/ids.ts";
import { PLAYGROUND_KEY_LIFE_MS } from "../../people/keys/playground-key.ts";
import { nameOf } from "../answer/actor.ts";
import { drawKey } from "../answer/draw-key.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { viewedAccount } from "../answer/viewed-account.ts";
import { showTime } from "../show/show.ts";

export const playgroundRoutes = [
  route("POST /playground/key", "member", { audit: "playground_key.renew", body: PlaygroundKeyBody, make: renewKey }),
];

/**
 * Makes the playground's key. The playground calls the public endpoints with a key and not with the session, so that
 * its calls have the limits, bills and receipts of any client's, and a session cookie is of no use under /v1.
 */
async function renewKey(call: ConsoleCall<PlaygroundKeyBody, unknown>): Promise<PlaygroundKey> {
  const { accounts, clock, keyChanged } = call.deps;
  const account_id = await viewedAccount(call, call.body.account);
  const { key, hash, hint } = await drawKey(call.deps, account_id);
  const expires_ms = clock.now_ms() + PLAYGROUND_KEY_LIFE_MS;
  const user_id = nameOf(call.actor);
  const record = await accounts.renewPlaygroundKey({
    id: newKeyId(account_id),
    account_id,
    user_id,
    hash,
    hint,
    expires_ms,
  });
  keyChanged?.(record.id);
  return { object: "playground_key", id: record.id, account: account_id, key, expires_at: showTime(expires_ms) };
}
