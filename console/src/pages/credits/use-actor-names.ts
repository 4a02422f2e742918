import { useIsAdministrator, useUser } from "../../api/session.ts";
import { useApi } from "../../api/use-api.ts";

/** What to call whoever made an entry: administrators see names, members only whether it was they. */
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
