import { useNavigate } from "@tanstack/react-router";
import type { Session } from "../../../../contract/session.ts";
import { beginSession } from "../../api/session.ts";
import { parseSearch, useUrlState } from "../../kit/url-state.ts";

/** Where to go after signing in, below /console: where somebody was sent here from, else the overview. */
export function useReturnPath(): string {
  const [search] = useUrlState("return");
  return search.return ?? "/";
}

/** Takes over a session and goes on. Of the return path only path and query count, so that it cannot lead elsewhere. */
export function useEnter(): (session: Session) => void {
  const navigate = useNavigate();
  const path = useReturnPath();
  return ({ user, csrf_token, expires_at }) => {
    beginSession({ user, csrf_token, expires_at });
    const { pathname, search } = new URL(path, location.origin);
    void navigate({ to: pathname, search: parseSearch(search), hash: "", replace: true });
  };
}
