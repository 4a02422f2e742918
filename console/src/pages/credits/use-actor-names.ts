import { useIsAdministrator, useUser } from "../../api/session.ts";
import { useNames } from "../../api/use-names.ts";

/** Names of the actors of entries: administrators see e-mail addresses, members see only whether they are the actor. */
export function useActorNames(actors: readonly string[]): (actor: string) => string {
  const user = useUser();
  const administrator = useIsAdministrator();
  const names = useNames(actors, administrator);
  return (actor) => {
    if (actor === user.id) return "you";
    if (actor === "gateway") return "the gateway";
    if (actor === "admin-token") return administrator ? "the admin token" : "an administrator";
    return names.get(actor) || "an administrator";
  };
}
