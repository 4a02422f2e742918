import { hashToken, linkAddress, linkToken } from "../../access/console/tokens.ts";
import { newId } from "../../core/ids.ts";
import type { LinkRecord, NewLink } from "../../core/people/users.ts";
import { LINK_LIVES_MS } from "../../people/links/link-lives.ts";
import { nameOf } from "../answer/actor.ts";
import { drawsOf, madeOnce } from "../answer/made-once.ts";
import type { ConsoleCall } from "../answer/route.ts";

/** Makes a sign-in link and its address. Only a hash of the token is stored, so the address cannot be shown again. */
export async function makeLink(
  call: ConsoleCall,
  link: Pick<
    NewLink,
    | "purpose"
    | "email"
    | "role"
    | "user_id"
    | "account_id"
    | "account_role"
    | "vouched"
    | "credit_micro"
    | "project_id"
    | "mail"
  >,
): Promise<{ readonly record: LinkRecord; readonly link: string }> {
  const { deps, actor, visit, note } = call;
  const draws = drawsOf(call);
  const id = newId("link", draws.id);
  const token = linkToken(deps.keys, id);
  const token_hash = hashToken(deps.keys, "link", token);
  const ttl_ms = LINK_LIVES_MS[link.purpose];
  const made = { ...link, id, token_hash, made_by: nameOf(actor), ttl_ms };
  const findEarlier = () => deps.users.findLink(token_hash);
  // Before it is made: a new link for a person withdraws the earlier ones, also the very same link.
  const earlier = draws.once ? await findEarlier() : null;
  const record = earlier ?? (await madeOnce(draws, { make: () => deps.users.createLink(made, note), findEarlier }));
  return { record, link: linkAddress(visit.origin, token) };
}
