import { useNavigate } from "@tanstack/react-router";
import type { Session } from "../../../../contract/session.ts";
import { beginSession } from "../../api/session.ts";
import { parseSearch, useUrlState } from "../../kit/url-state.ts";

/** The path below /console to go to after signing in: the page that sent the visitor here, else the overview. */
export function useReturnPath(): string {
  const [search] = useUrlState("return");
  return search.return ?? "/";
}

/** Takes over a session and opens the return path. Only its path and query count, so it cannot lead to another site. */
export function useEnter(): (session: Session) => void {
  const navigate = useNavigate();
  const path = useReturnPath();
  return ({ user, csrf_token, expires_at }) => {
    beginSession({ user, csrf_token, expires_at });
    const { pathname, search } = new URL(path, location.origin);
    void navigate({ to: pathname, search: parseSearch(search), hash: "", replace: true });
  };
}
