import { useIsAdministrator, useUser } from "../../api/session.ts";
import { useApi } from "../../api/use-api.ts";

/** Names of the actors of entries: administrators see names, members see only whether they are the actor. */
export function useActorNames(): (actor: string) => string {
  const user = useUser();
  const administrator = useIsAdministrator();
  const users = useApi("GET /users", {}, { enabled: administrator });
  return (actor) => {
    if (actor === user.id) return "you";
    if (actor === "gateway") return "the gateway";
    if (actor === "admin-token") return administrator ? "the admin token" : "an administrator";
    const known = users.data?.data.find(({ id }) => id === actor);
    return known ? known.name || known.email : "an administrator";
  };
}
