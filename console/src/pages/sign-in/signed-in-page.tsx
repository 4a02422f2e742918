import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "../../api/session.ts";
import { TextLink } from "../../kit/row-link.tsx";
import { SignInFrame } from "./sign-in-frame.tsx";

/** The end of a company's sign-in that was begun beside a page whose session had ended: that page goes on by itself. */
export function SignedInPage() {
  // Loading the session also informs the other tabs.
  const session = useQuery(sessionQuery);
  const name = session.data?.user.email;
  return (
    <SignInFrame title={session.data === null ? "You are not signed in" : "You are signed in"}>
      <p className="text-ink-soft">
        {name !== undefined && <>As {name}. </>}
        {session.data === null
          ? "The sign-in did not succeed. Go back to the tab that you came from, and try again."
          : "Go back to the tab that you came from: it continues where you were. You may close this one, or "}
        {session.data !== null && <TextLink to="/">open the console here</TextLink>}
      </p>
    </SignInFrame>
  );
}
